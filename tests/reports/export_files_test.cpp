// SPDX-License-Identifier: Apache-2.0
// Exports as files: compressed files, the trace read back by `mansard import`, and the database.
#include <map>
#include <set>
#include <tuple>

#include <gtest/gtest.h>

#include "collector/import/byte_source.h"
#include "collector/import/import_result.h"
#include "collector/store/profile_writer.h"
#include "collector/store/sqlite.h"
#include "support/text.h"
#include "tests/reports/export_fixture.h"
#include "tests/support/scratch.h"

namespace mansard::test {
namespace {

// The fixture's profile on disk.
std::filesystem::path write_recording(const test::Scratch& scratch) {
  const store::Profile profile = export_profile();
  const std::filesystem::path file = scratch / "run.sqlite";
  store::SessionInfo session = profile.session;
  session.pid = 7;
  store::ProfileWriter writer(file, session);
  for (const store::GpuRecord& gpu : profile.gpus) writer.add(gpu);
  for (store::KernelRecord kernel : profile.kernels) {
    kernel.demangled_name = writer.intern(profile.string(kernel.demangled_name));
    writer.add(kernel);
  }
  for (const store::MemcpyRecord& copy : profile.memcpys) writer.add(copy);
  for (const store::MemsetRecord& fill : profile.memsets) writer.add(fill);
  for (store::ApiRecord call : profile.api_calls) {
    call.name = writer.intern(profile.string(call.name));
    writer.add(call);
  }
  for (store::NvtxRecord range : profile.nvtx) {
    range.row_id = 0;
    writer.add(range);
  }
  writer.add_thread_name(kMainThread, "main");
  writer.finish(store::RecordingState::complete);
  return file;
}

analysis::RunAnalysis analyzed(const std::filesystem::path& file) {
  return analysis::analyze_run(store::load_profile(file), {test_machine()});
}

std::string content(const std::filesystem::path& file) {
  const std::unique_ptr<collector::ByteSource> source = collector::open_bytes(file);
  std::string text;
  std::vector<char> block(1 << 16);
  while (const std::size_t count = source->read(block.data(), block.size())) {
    text.append(block.data(), count);
  }
  EXPECT_EQ(source->failure(), "");
  return text;
}

TEST(FileSink, CompressesOnRequest) {
  const test::Scratch scratch;
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += std::to_string(i) + ",";
  for (const bool packed : {false, true}) {
    const std::filesystem::path file = scratch / (packed ? "a.gz" : "a");
    const auto sink = reports::open_file_sink(file, packed);
    sink->write(text.substr(0, 1000));
    sink->write("");
    sink->write(text.substr(1000));
    sink->finish();
    EXPECT_EQ(content(file), text);
    EXPECT_EQ(std::filesystem::file_size(file) < text.size(), packed);
  }
  EXPECT_TRUE(reports::is_packed_name("trace.json.gz"));
  EXPECT_FALSE(reports::is_packed_name("gz"));
}

TEST(FileSink, ReportsWriteErrors) {
  EXPECT_THROW(reports::open_file_sink("/no/such/folder/file", false), std::runtime_error);
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP();
  const auto sink = reports::open_file_sink("/dev/full", false);
  const std::string much(1 << 20, 'x');
  EXPECT_THROW(
      {
        sink->write(much);
        sink->finish();
      },
      std::runtime_error);
}

using KernelFacts = std::tuple<std::string, std::int64_t, std::int64_t, std::array<std::int32_t, 3>,
                               std::array<std::int32_t, 3>, std::int32_t, std::int32_t,
                               std::int32_t, std::int64_t, std::int64_t>;

// Wall-clock times.
std::multiset<KernelFacts> facts_of(const store::Profile& profile) {
  std::multiset<KernelFacts> facts;
  for (const store::KernelRecord& k : profile.kernels) {
    if (k.end_ns == 0) continue;  // without times, so not in the trace
    facts.insert(
        {valid_utf8(profile.string(k.demangled_name)), profile.session.start_utc_ns + k.start_ns,
         k.end_ns - k.start_ns, k.grid, k.block, k.stream_id, k.registers_per_thread,
         k.static_shared_bytes + k.dynamic_shared_bytes, k.correlation_id, k.graph_node_id});
  }
  return facts;
}

TEST(RoundTrip, ImportReadsTheSameKernelsFromTheTrace) {
  const test::Scratch scratch;
  const analysis::RunAnalysis run = analyzed(write_recording(scratch));
  const std::filesystem::path trace = scratch / "trace.json";
  const auto sink = reports::open_file_sink(trace, false);
  reports::export_chrome({.run = run, .names = store::read_host_names(run.profile.file)}, *sink);
  sink->finish();
  collector::import_trace(trace, scratch / "again.sqlite", nullptr);
  const analysis::RunAnalysis again = analyzed(scratch / "again.sqlite");

  EXPECT_EQ(facts_of(again.profile), facts_of(run.profile));
  EXPECT_EQ(again.profile.kernels.size(), 5u);
  EXPECT_EQ(again.profile.api_calls.size(), run.profile.api_calls.size());
  ASSERT_EQ(again.profile.memcpys.size(), 1u);
  EXPECT_EQ(again.profile.memcpys[0].copy_kind, 1);
  EXPECT_EQ(again.profile.memcpys[0].src_kind, 1);
  EXPECT_EQ(again.profile.memcpys[0].dst_kind, 2);
  EXPECT_EQ(again.profile.memsets.at(0).mem_kind, 2);
  EXPECT_EQ(again.profile.session.rank, 3);
  EXPECT_EQ(again.profile.gpus.at(0).name, "Test GPU");
  EXPECT_EQ(store::read_host_names(scratch / "again.sqlite").threads.at(kMainThread), "main");
  // Overlapping ranges are on separate tracks of the same thread.
  std::map<std::string, std::int64_t> thread_of;
  for (const store::NvtxRecord& r : again.profile.nvtx) {
    thread_of[again.profile.text(r)] = r.global_tid;
    EXPECT_EQ(r.began_earlier, again.profile.text(r) == kBeganEarlierText);
    EXPECT_FALSE(r.began_earlier && again.profile.work.contains(r.row_id)) << "only a part of it";
  }
  EXPECT_EQ(thread_of.at("first"), kOtherThread);
  EXPECT_EQ(thread_of.at("overlaps"), kOtherThread);
  // Equal work is attributed to the same kernels.
  const analysis::KernelRow* before = find_row(run, "void gemm<128, true>(float*)");
  const analysis::KernelRow* after = find_row(again, "void gemm<128, true>(float*)");
  ASSERT_NE(before, nullptr);
  ASSERT_NE(after, nullptr);
  EXPECT_EQ(after->work.flop, before->work.flop);
  EXPECT_EQ(after->work.bytes, before->work.bytes);
  EXPECT_EQ(after->sol.time_s, before->sol.time_s);
}

TEST(SqliteExport, IsOneFileWithTheProfileAndTheRows) {
  const test::Scratch scratch;
  const analysis::RunAnalysis run = analyzed(write_recording(scratch));
  const std::filesystem::path copy = scratch / "copy.sqlite";
  reports::export_sqlite({.run = run}, copy);
  for (const char* suffix : {"-wal", "-shm", "-journal"}) {
    EXPECT_FALSE(std::filesystem::exists(copy.string() + suffix)) << suffix;
  }
  EXPECT_EQ(facts_of(store::load_profile(copy)), facts_of(run.profile));

  store::Database database(copy.string(), store::Database::Access::read_only);
  const auto text = [&](const std::string& sql) {
    store::Statement row = database.prepare(sql);
    return row.step() ? row.text(0) : std::string("no row");
  };
  EXPECT_EQ(text("PRAGMA integrity_check"), "ok");
  EXPECT_EQ(text("PRAGMA journal_mode"), "delete");
  EXPECT_EQ(text("SELECT count(*) FROM MANSARD_KERNEL_ROWS"), std::to_string(run.rows.size()));
  const std::string of_gemm = " FROM MANSARD_KERNEL_ROWS WHERE name LIKE 'void gemm%'";
  EXPECT_EQ(text("SELECT class || precision || boundBy" + of_gemm), "gemmBF16BF16");
  EXPECT_EQ(text("SELECT timeNs" + of_gemm), "3001");
  EXPECT_EQ(std::stod(text("SELECT speedOfLightNs" + of_gemm)), 3000.0);
  EXPECT_EQ(std::stod(text("SELECT flop" + of_gemm)), 3e6);
  EXPECT_EQ(text("SELECT flop FROM MANSARD_KERNEL_ROWS WHERE name = 'node_a'"), "");
  EXPECT_EQ(std::stod(text("SELECT b.bytes FROM MANSARD_KERNEL_ROW_BYTES b JOIN "
                           "MANSARD_KERNEL_ROWS r ON r.id = b.rowId WHERE b.level = 'hbm'")),
            2e4);
  EXPECT_EQ(text("SELECT count(*) FROM MANSARD_KERNEL_ROWS WHERE length(name) = 4000"), "1");
  EXPECT_EQ(text("SELECT count(*) FROM MANSARD_KERNEL_ROWS r JOIN StringIds s ON s.value = r.name"),
            std::to_string(run.rows.size() - 3))
      << "all names but that with invalid UTF-8 and those of a memcpy and a memset";
  // Each kernel refers to the row with its name.
  EXPECT_EQ(text("SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN MANSARD_KERNEL_LAUNCHES l "
                 "ON l.kernelId = k.rowid JOIN MANSARD_KERNEL_ROWS r ON r.id = l.rowId JOIN "
                 "StringIds s ON s.id = k.demangledName WHERE s.value = r.name OR r.name LIKE "
                 "'a<b>%'"),
            std::to_string(run.profile.kernels.size()));
}

TEST(SqliteExport, ReplacesTheTablesOfAnEarlierExport) {
  const test::Scratch scratch;
  const analysis::RunAnalysis run = analyzed(write_recording(scratch));
  reports::export_sqlite({.run = run}, scratch / "one.sqlite");
  const analysis::RunAnalysis again = analyzed(scratch / "one.sqlite");
  reports::export_sqlite({.run = again}, scratch / "two.sqlite");
  store::Database database((scratch / "two.sqlite").string(), store::Database::Access::read_only);
  store::Statement count = database.prepare("SELECT count(*) FROM MANSARD_KERNEL_ROWS");
  ASSERT_TRUE(count.step());
  EXPECT_EQ(count.integer(0), static_cast<std::int64_t>(run.rows.size()));
}

TEST(SqliteExport, RejectsAnUnfinishedProfile) {
  const test::Scratch scratch;
  analysis::RunAnalysis run = analyzed(write_recording(scratch));
  run.profile.session.state = store::RecordingState::recording;
  EXPECT_THROW(reports::export_sqlite({.run = run}, scratch / "copy.sqlite"), std::runtime_error);
  run.profile.session.state = store::RecordingState::complete;
  store::Database(run.profile.file.string(), store::Database::Access::read_write)
      .exec(
          "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT * FROM CUPTI_ACTIVITY_KIND_KERNEL LIMIT "
          "1");
  EXPECT_THROW(reports::export_sqlite({.run = run}, scratch / "copy.sqlite"), std::runtime_error)
      << "the file has a kernel more";
  std::size_t files = 0;
  for (const auto& file : std::filesystem::directory_iterator(scratch.folder())) {
    EXPECT_EQ(file.path().filename(), "run.sqlite");
    ++files;
  }
  EXPECT_EQ(files, 1u) << "what failed left something behind";
}

}  // namespace
}  // namespace mansard::test
