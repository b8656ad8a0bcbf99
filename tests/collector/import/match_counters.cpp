// SPDX-License-Identifier: Apache-2.0
// Tests matching of Nsight Compute counters to kernels in a profile of the same program.
#include "collector/import/match_counters.h"

#include <fstream>

#include <gtest/gtest.h>

#include "collector/import/import_result.h"
#include "collector/store/profile_writer.h"
#include "tests/analyzer/profile_builder.h"
#include "tests/collector/import/trace_file.h"

namespace mansard::test {
namespace {

constexpr std::array<std::int32_t, 3> kGrid = {8, 1, 1};
constexpr std::array<std::int32_t, 3> kBlock = {256, 1, 1};

class Matching : public testing::Test {
 protected:
  store::KernelRecord& kernel(const std::string& name, std::int64_t duration_ns = 100) {
    store::KernelRecord& k = b.kernel(next_ns_, next_ns_ + duration_ns, name);
    next_ns_ += 2 * duration_ns;
    k.grid = kGrid;
    k.block = kBlock;
    return k;
  }
  collector::NcuLaunch& launch(const std::string& name) {
    collector::NcuLaunch& l = launches.emplace_back();
    l.kernel = name;
    l.grid = kGrid;
    l.block = kBlock;
    return l;
  }
  // Number of matching signatures for each group of launches.
  std::vector<std::size_t> found() {
    std::vector<std::size_t> counts;
    matches = collector::match_counters(b.build(), launches);
    for (const collector::CounterMatch& match : matches.matches)
      counts.push_back(match.signatures.size());
    return counts;
  }

  ProfileBuilder b;
  std::vector<collector::NcuLaunch> launches;
  collector::CounterMatches matches;

 private:
  std::int64_t next_ns_ = 1000;
};

using Counts = std::vector<std::size_t>;

TEST_F(Matching, NamesInOtherSpellings) {
  kernel("void gemm<128, true>(float*)", 300);
  kernel("void gemm<64, true>(float*)", 100);
  launch("void gemm<(int)128, (bool)1>(float *)");
  EXPECT_EQ(found(), Counts{1});
  EXPECT_DOUBLE_EQ(matches.with_counters_s / matches.all_s, 0.75);
  EXPECT_EQ(b.profile().string(matches.signatures[0].first.demangled_name),
            "void gemm<128, true>(float*)");
}

TEST_F(Matching, MangledNames) {
  store::KernelRecord& k = kernel("void f<1>(int)");
  k.mangled_name = b.intern("_Z1fILi1EEvi");
  launch("_Z1fILi1EEvi");
  EXPECT_EQ(found(), Counts{1});
}

// `const float*` and `float const*` differ only in the parameters, not in the function name.
TEST_F(Matching, ParametersMayDiffer) {
  kernel("void ns::f<3>(float const*, unsigned int)");
  launch("ns::f<3>(const float *, unsigned int)");
  EXPECT_EQ(found(), Counts{1});
}

TEST_F(Matching, FunctionNamesOnly) {
  kernel("void ns::f<3>(float*)");
  launch("f");
  launch("g");
  EXPECT_EQ(found(), (Counts{1, 0}));
}

TEST_F(Matching, AmbiguousFunctionNames) {
  kernel("void ns::f<3>(float*)");
  kernel("void ns::f<4>(float*)");
  launch("f");
  EXPECT_EQ(found(), Counts{2});
  EXPECT_DOUBLE_EQ(matches.with_counters_s, 0) << "a guess is not a match";
}

TEST_F(Matching, TemplateInstancesDiffer) {
  kernel("void ns::f<3>(float*)");
  launch("void ns::f<4>(float*)");
  EXPECT_EQ(found(), Counts{0});
}

TEST_F(Matching, ShapesDecide) {
  kernel("f(int)").dynamic_shared_bytes = 1024;
  kernel("f(int)").dynamic_shared_bytes = 2048;
  kernel("f(int)").grid = {9, 1, 1};
  launch("f(int)").values["launch__shared_mem_per_block_dynamic"] = 2048;
  launch("f(int)");  // any dynamic shared memory: ambiguous
  launch("f(int)").grid = {9, 1, 1};
  launch("f(int)").block = {128, 1, 1};
  EXPECT_EQ(found(), (Counts{1, 2, 1, 0}));
}

// PyTorch's profiler adds static and dynamic shared memory.
TEST_F(Matching, SharedMemoryAsASum) {
  kernel("f(int)").dynamic_shared_bytes = 3072;
  collector::NcuLaunch& l = launch("f(int)");
  l.values["launch__shared_mem_per_block_dynamic"] = 2048;
  l.values["launch__shared_mem_per_block_static"] = 1024;
  EXPECT_EQ(found(), Counts{1});
}

// 49,152 bytes are printed as "49.15 Kbyte" in the details page, which can mean 49,145 to 49,155.
TEST_F(Matching, SharedMemoryAsItWasRounded) {
  kernel("f(int)").dynamic_shared_bytes = 49152;
  const auto rounded = [&](double bytes) -> collector::NcuLaunch& {
    collector::NcuLaunch& l = launch("f(int)");
    l.values["launch__shared_mem_per_block_dynamic"] = bytes;
    l.shared_rounding_bytes = 5;
    return l;
  };
  rounded(49150);
  rounded(49160);
  rounded(49150).shared_rounding_bytes = 0;  // printed in bytes: another size
  EXPECT_EQ(found(), (Counts{1, 0, 0}));
}

TEST_F(Matching, RoundedSizesAsASum) {
  kernel("f(int)").dynamic_shared_bytes = 49152 + 16384;
  collector::NcuLaunch& l = launch("f(int)");
  l.values["launch__shared_mem_per_block_dynamic"] = 49150;
  l.values["launch__shared_mem_per_block_static"] = 16380;
  l.shared_rounding_bytes = 5;
  EXPECT_EQ(found(), Counts{1});
}

TEST_F(Matching, EqualLaunchesShareASignature) {
  kernel("f(int)");
  for (int i = 0; i < 3; ++i) launch("f(int)");
  EXPECT_EQ(found(), Counts{1});
  EXPECT_EQ(matches.matches[0].launches, (std::vector<std::size_t>{0, 1, 2}));
}

constexpr const char* kTable =
    R"csv("ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","dram__bytes.sum","gpu__time_duration.sum","sm__ops_path_tensor_src_bf16_dst_fp32.sum","smsp__sass_thread_inst_executed_op_ffma_pred_on.sum"
"","","","","","","","","","","","Mbyte","us","",""
"0","1","p","h","void gemm<(int)128>(float *)","1","7","(384, 1, 1)","(132, 2, 1)","0","9.0","5","99","1,000","0"
"1","1","p","h","other(int)","1","7","(384, 1, 1)","(132, 2, 1)","0","9.0","5","99","1,000","0"
)csv";

// Two launches of the gemm, 1 ms and 3 ms, and 4 ms of another kernel.
std::string trace_text() {
  const auto kernel = [](const char* name, const char* ts, const char* dur) {
    return std::string(R"({"ph": "X", "cat": "kernel", "name": ")") + name +
           R"(", "pid": 0, "tid": 7, "ts": )" + ts + R"(, "dur": )" + dur +
           R"(, "args": {"device": 0, "stream": 7, "correlation": 1, "grid": [132, 2, 1], "block": [384, 1, 1]}})";
  };
  return R"({"deviceProperties": [{"id": 0, "name": "Test GPU", "computeMajor": 9, "computeMinor": 0}], "traceEvents": [)" +
         kernel("void gemm<128>(float*)", "10", "1000") + "," +
         kernel("void gemm<128>(float*)", "5000", "3000") + "," + kernel("rest()", "9000", "4000") +
         "]}";
}

// Times are from the profile, counts from Nsight Compute: 2 x 5 MB, 2 x 1000 FLOP in 4 ms.
TEST(AddCounters, ToAProfile) {
  const TraceFile trace(trace_text());
  const TraceFile table(kTable, "counters.csv");
  trace.imported();
  const auto before = std::filesystem::file_size(trace.output());
  const collector::ImportResult result =
      collector::add_counters(trace.output(), {table.file()}, table.output());
  const analysis::RunAnalysis run =
      analysis::analyze_run(store::load_profile(table.output()), {test_machine()});
  EXPECT_EQ(run.profile.session.state, store::RecordingState::complete);
  const analysis::KernelRow* gemm = find_row(run, "void gemm<128>(float*)");
  ASSERT_NE(gemm, nullptr);
  EXPECT_EQ(gemm->origin, analysis::WorkOrigin::counted);
  EXPECT_DOUBLE_EQ(gemm->time_s, 4e-3);
  EXPECT_DOUBLE_EQ(gemm->work.flop.at(Precision::bf16), 2000);
  EXPECT_DOUBLE_EQ(gemm->work.bytes.at(MemoryLevel::hbm), 1e7);
  EXPECT_EQ(find_row(run, "rest()")->origin, analysis::WorkOrigin::none);
  // 4 ms of 8 ms; one of two signatures in the table, one of two in the profile.
  EXPECT_NE(result.summary.find("50.0 % of kernel time"), std::string::npos) << result.summary;
  ASSERT_EQ(result.unmatched.size(), 1u);
  EXPECT_EQ(result.unmatched[0].kernel, "other(int)");
  EXPECT_EQ(result.unmatched[0].candidates, 0);
  ASSERT_EQ(result.uncounted.size(), 1u);
  EXPECT_EQ(result.uncounted[0].kernel, "rest()");
  EXPECT_EQ(std::filesystem::file_size(trace.output()), before) << "the profile is only read";
}

TEST(AddCounters, Twice) {
  const TraceFile trace(trace_text());
  const TraceFile table(kTable, "counters.csv");
  trace.imported();
  const std::filesystem::path second = table.output().string() + ".2";
  collector::add_counters(trace.output(), {table.file()}, table.output());
  collector::add_counters(table.output(), {table.file()}, second);
  const store::Profile p = store::load_profile(second);
  ASSERT_EQ(p.counter_readings.size(), 2u);
  EXPECT_EQ(p.counter_readings[0].values.size(), 4u);
  EXPECT_EQ(p.counter_readings[1].values.size(), 4u);
}

TEST(AddCounters, OfAnotherProgram) {
  const TraceFile trace(
      R"({"traceEvents": [{"ph": "X", "cat": "kernel", "name": "k", "ts": 1, "dur": 1}]})");
  const TraceFile table(kTable, "counters.csv");
  trace.imported();
  try {
    collector::add_counters(trace.output(), {table.file()}, table.output());
    FAIL() << "nothing matches";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("no kernel matches one in"), std::string::npos);
  }
  EXPECT_FALSE(std::filesystem::exists(table.output()));
}

}  // namespace
}  // namespace mansard::test
