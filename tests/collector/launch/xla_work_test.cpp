// SPDX-License-Identifier: Apache-2.0
#include "collector/launch/xla_work.h"

#include <cstdlib>
#include <fstream>
#include <map>
#include <optional>

#include <gtest/gtest.h>

#include "collector/store/close_database.h"
#include "tests/collector/sample.h"
#include "tests/support/scratch.h"

namespace mansard::collector {
namespace {

constexpr std::int64_t kThread = 5;
constexpr std::int64_t kOther = 6;

// A module whose fusion.1 adds `size` pairs of numbers.
void write_module(const std::filesystem::path& file, int size) {
  const std::string type = "f32[" + std::to_string(size) + "]";
  std::ofstream(file) << "%add (p: " << type << ", q: " << type << ") -> " << type << " {\n"
                      << "  %p = " << type << "{0} parameter(0)\n"
                      << "  %q = " << type << "{0} parameter(1)\n"
                      << "  ROOT %sum = " << type << "{0} add(%p, %q)\n}\n\n"
                      << "ENTRY %main (a: " << type << ", b: " << type << ") -> " << type << " {\n"
                      << "  %a = " << type << "{0} parameter(0)\n"
                      << "  %b = " << type << "{0} parameter(1)\n"
                      << "  ROOT %fusion.1 = " << type
                      << "{0} fusion(%a, %b), kind=kLoop, calls=%add\n}\n";
}

class XlaWork : public testing::Test {
 protected:
  XlaWork() {
    write_module(scratch / "module_0007.jit_step.sm_9.0_gpu_after_optimizations.txt", 100);
    write_module(scratch / "module_12.jit_step.sm_9.0_gpu_after_optimizations.txt", 1000);
    write_module(scratch / "module_12.jit_step.before_optimizations.txt", 5);
  }
  void range(store::ProfileWriter& writer, std::int64_t start, std::int64_t end,
             const std::string& text, std::int64_t thread = kThread) {
    store::NvtxRecord record;
    record.start_ns = start;
    record.end_ns = end;
    record.global_tid = thread;
    record.text = text;
    writer.add(record);
  }
  std::filesystem::path write_profile() {
    const std::filesystem::path file = scratch / "run.sqlite";
    store::ProfileWriter writer(file, test::sample_session());
    range(writer, 0, 100, "XlaModule:#prefix=args[0],hlo_module=jit_step,program_id=7#");
    range(writer, 10, 20, "Thunk:#name=jit(step)/add,hlo_op=fusion.1,unique_hlo_op_id=32#");
    range(writer, 12, 14, "cublasLtMatmul | flop=8 hbm=9 source=model");
    range(writer, 15, 25, "Thunk:#hlo_op=fusion.1#", kOther);  // executes no module
    range(writer, 30, 40, "Thunk:#hlo_op=fusion.10#");
    range(writer, 50, 60, "Thunk:#hlo_op=fusion.1# | hbm=77");
    range(writer, 200, 300, "XlaModule:#hlo_module=jit_step,program_id=12#");
    range(writer, 210, 220, "Thunk:#hlo_op=fusion.1#");
    range(writer, 310, 320, "Thunk:#hlo_op=fusion.1#");                        // after the module
    range(writer, 400, 500, "XlaModule:#hlo_module=jit_init,program_id=99#");  // not written
    range(writer, 410, 420, "Thunk:#hlo_op=fusion.1#");
    writer.finish(store::RecordingState::complete);
    return file;
  }
  // HBM bytes by the start of the range.
  std::map<std::int64_t, double> bytes(const std::filesystem::path& file) {
    const store::Profile p = store::load_profile(file);
    std::map<std::int64_t, double> found;
    for (const store::NvtxRecord& record : p.nvtx) {
      if (const auto* work = p.work.find(record.row_id)) {
        found[record.start_ns] = work->bytes.at(MemoryLevel::hbm);
      }
    }
    return found;
  }

  test::Scratch scratch;
};

TEST_F(XlaWork, RangesHaveTheWorkOfTheirInstruction) {
  const std::filesystem::path file = write_profile();
  EXPECT_EQ(add_xla_work(file, scratch / "."), 2u);
  EXPECT_EQ(bytes(file), (std::map<std::int64_t, double>{
                             {10, 3.0 * 4 * 100}, {12, 9}, {50, 77}, {210, 3.0 * 4 * 1000}}));
  const store::Profile p = store::load_profile(file);
  EXPECT_TRUE(p.work.find(2)->modeled);
  EXPECT_EQ(p.work.find(2)->name, "fusion.1");
  EXPECT_EQ(store::repair_profile(file), store::Repair::complete) << "a single file is left";
  EXPECT_EQ(add_xla_work(file, scratch / "."), 0u) << "it is not added twice";
}

TEST_F(XlaWork, OtherProfilesStayAsTheyAre) {
  const std::filesystem::path file = scratch / "a.sqlite";
  { store::ProfileWriter(file, test::sample_session()).finish(store::RecordingState::complete); }
  EXPECT_EQ(add_xla_work(file, scratch / "."), 0u);
  EXPECT_EQ(add_xla_work(write_profile(), scratch / "missing"), 0u);
  EXPECT_THROW(add_xla_work(scratch / "missing.sqlite", scratch / "."), std::exception);
}

// Sets an environment variable for the time of a test.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    const char* before = std::getenv(name);
    if (before != nullptr) before_ = before;
    value != nullptr ? setenv(name, value, 1) : unsetenv(name);
  }
  ~Variable() { before_ ? setenv(name_, before_->c_str(), 1) : unsetenv(name_); }

 private:
  const char* name_;
  std::optional<std::string> before_;
};

TEST(XlaDump, IsAddedToTheUsersFlags) {
  std::filesystem::path folder;
  {
    const Variable flags("XLA_FLAGS", "--xla_gpu_autotune_level=0");
    const XlaDump dump;
    folder = dump.folder();
    EXPECT_TRUE(std::filesystem::is_directory(folder));
    EXPECT_EQ(dump.flags(), "--xla_gpu_autotune_level=0 --xla_dump_to=" + folder.string() +
                                " --xla_dump_hlo_module_re=^(jit|pmap)_");
    std::ofstream(folder / "module_1.txt") << "text";
  }
  EXPECT_FALSE(std::filesystem::exists(folder));
  const Variable none("XLA_FLAGS", nullptr);
  EXPECT_TRUE(XlaDump().flags().starts_with("--xla_dump_to="));
}

TEST(XlaDump, LeavesTheUsersDumpAlone) {
  const Variable flags("XLA_FLAGS", "--xla_dump_to=/tmp/mine");
  EXPECT_EQ(XlaDump().flags(), "");
}

TEST(XlaDump, DoesWithoutAFolder) {
  const Variable folder("TMPDIR", "/nonexistent/folder");
  EXPECT_EQ(XlaDump().flags(), "");
}

}  // namespace
}  // namespace mansard::collector
