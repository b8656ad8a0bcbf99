// SPDX-License-Identifier: Apache-2.0
// Exports of several versions of Nsight Systems: the same run gives the same analysis.
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "collector/store/sqlite.h"
#include "tests/analyzer/profile_builder.h"
#include "tests/support/scratch.h"

namespace mansard::test {
namespace {

// tests/fixtures/NAME.sql as a database.
store::Profile load_export(const std::string& name) {
  const test::Scratch scratch;
  std::ifstream sql(std::string(MANSARD_TEST_FIXTURES) + "/" + name + ".sql");
  std::ostringstream text;
  text << sql.rdbuf();
  const std::filesystem::path file = scratch / (name + ".sqlite");
  std::ofstream(file).close();
  {
    store::Database database(file.string(), store::Database::Access::read_write);
    database.exec(text.str());
  }
  return store::load_profile(file);
}

analysis::RunAnalysis analyze_export(const std::string& name) {
  return analysis::analyze_run(load_export(name), {test_machine()});
}

class EveryVersion : public testing::TestWithParam<const char*> {};

// gemm: 2 s + 3 s for 2 x 1e12 FLOP at 1e12 FLOP/s: T_sol = 2 s (HBM: 1e10 B at 1e10 B/s = 1 s),
// slowdown 2.5. The device was busy for 6 s of the 9 s from 1 s to 10 s; the newest export also has
// a graph recorded as a whole, which takes 1 s.
TEST_P(EveryVersion, GivesTheSameAnalysis) {
  const analysis::RunAnalysis run = analyze_export(GetParam());
  EXPECT_EQ(run.profile.session.state, store::RecordingState::foreign);
  EXPECT_DOUBLE_EQ(run.busy_s, run.profile.graphs.empty() ? 6 : 7);
  EXPECT_DOUBLE_EQ(run.span_s, 9);
  ASSERT_EQ(run.rows.size(), 2u);
  const analysis::KernelRow& gemm = run.rows[0];
  EXPECT_EQ(gemm.name, "void gemm<128>(float*)");
  EXPECT_EQ(gemm.operation_class, "gemm");
  EXPECT_EQ(gemm.origin, analysis::WorkOrigin::annotated);
  EXPECT_EQ(gemm.launches, 2);
  EXPECT_EQ(gemm.grid, (std::array<std::int32_t, 3>{4, 5, 6}));
  EXPECT_EQ(gemm.shared_bytes, 1024);
  EXPECT_DOUBLE_EQ(gemm.time_s, 5);
  EXPECT_DOUBLE_EQ(gemm.work.flop.at(Precision::bf16), 2e12);
  EXPECT_DOUBLE_EQ(gemm.work.bytes.at(MemoryLevel::hbm), 1e10);
  ASSERT_TRUE(gemm.slowdown);
  EXPECT_DOUBLE_EQ(*gemm.slowdown, 2.5);
  EXPECT_EQ(run.rows[1].name, "void copy(float*)");
  EXPECT_EQ(run.rows[1].origin, analysis::WorkOrigin::none);
  ASSERT_TRUE(run.machine) << "the export names the GPU";
  EXPECT_EQ(run.machine->device.name, "Test GPU");
  ASSERT_EQ(run.profile.gpus.size(), 1u);
  EXPECT_EQ(run.profile.gpus[0].compute_major, 9);
  EXPECT_EQ(run.profile.gpus[0].sm_count, 100);
}

INSTANTIATE_TEST_SUITE_P(NsightExports, EveryVersion,
                         testing::Values("nsys_2021", "nsys_3_16", "nsys_3_25"),
                         [](const auto& version) { return std::string(version.param); });

TEST(NsightExports, GraphsRecordedAsAWhole) {
  const store::Profile p = load_export("nsys_3_25");
  ASSERT_EQ(p.graphs.size(), 1u);
  EXPECT_EQ(p.graphs[0].start_ns, 5'500'000'000);
  EXPECT_EQ(p.graphs[0].graph_exec_id, 5);
  EXPECT_EQ(p.graphs[0].correlation_id, 21);
}

TEST(NsightExports, SampledMetricsOfEachGpu) {
  const store::Profile p = load_export("nsys_3_25");
  ASSERT_EQ(p.gpu_metrics.size(), 3u) << "in the order of time, by GPU";
  const store::GpuMetricSample& first = p.gpu_metrics[0];
  EXPECT_EQ(first.end_ns, 1000);
  EXPECT_EQ(first.device_id, 0);
  // Its two values are separate in the file; a third has no name and is ignored.
  ASSERT_EQ(first.values.size(), 2u);
  EXPECT_EQ(p.string(first.values[0].first), "SMs Active [Throughput %]");
  EXPECT_DOUBLE_EQ(first.values[0].second, 40);
  EXPECT_EQ(p.string(first.values[1].first), "GPC Clock Frequency [MHz]");
  EXPECT_EQ(p.gpu_metrics[1].device_id, 1);
  EXPECT_EQ(p.gpu_metrics[1].end_ns, 1000);
  EXPECT_EQ(p.gpu_metrics[2].end_ns, 2000);
  // The names were added to the profile's strings without changing existing ones.
  EXPECT_EQ(p.string(p.kernels[0].mangled_name), "_Z4gemmILi128EEvPf");
}

// SMs active: (40 % + 80 %) / 2; clock: (1700 + 1900) / 2 MHz. Warps in flight are neither a share
// nor a rate, and have no row.
TEST(NsightExports, SampledMetricsAreAnalyzed) {
  const analysis::Finding device =
      analysis::analysis_registry().find("device")->run(analyze_export("nsys_3_25"));
  ASSERT_EQ(device.tables.size(), 1u);
  const analysis::Table& table = device.tables[0];
  ASSERT_EQ(table.rows.size(), 3u);  // two metrics of GPU 0, one of GPU 1
  EXPECT_EQ(std::get<std::string>(table.rows[0][1]), "GPC Clock Frequency [MHz]");
  EXPECT_DOUBLE_EQ(std::get<double>(table.rows[0][6]), 1.8e9);
  EXPECT_EQ(std::get<std::string>(table.rows[1][1]), "SMs Active [Throughput %]");
  EXPECT_DOUBLE_EQ(std::get<double>(table.rows[1][2]), 0.6);
  EXPECT_DOUBLE_EQ(std::get<double>(table.rows[2][2]), 0.1);
}

// The calls of both processes have correlation id 11: the process must be matched as well.
TEST(NsightExports, ProcessesAreDistinguished) {
  const analysis::RunAnalysis run = analyze_export("nsys_two_processes");
  const analysis::KernelRow* gemm = find_row(run, "void gemm<128>(float*)");
  const analysis::KernelRow* copy = find_row(run, "void copy(float*)");
  ASSERT_TRUE(gemm != nullptr && copy != nullptr);
  EXPECT_DOUBLE_EQ(gemm->work.flop.at(Precision::bf16), 1e12);
  EXPECT_TRUE(gemm->work.bytes.empty());
  EXPECT_DOUBLE_EQ(copy->work.bytes.at(MemoryLevel::hbm), 7);
  EXPECT_TRUE(copy->work.flop.empty());
  EXPECT_FALSE(has_note(run, "correlation ids can collide"));
}

TEST(NsightExports, AmbiguousProcessesGiveANote) {
  const test::Scratch scratch;
  const std::filesystem::path file = scratch / "a.sqlite";
  std::ofstream(file).close();
  {
    store::Database database(file.string(), store::Database::Access::read_write);
    database.exec(
        "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, correlationId);"
        "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (10, 20, 0, 11);"
        "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start, end, globalTid, correlationId);"
        "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1, 2, 100 << 24, 11), (1, 2, 200 << 24, "
        "11);");
  }
  const store::Profile profile = store::load_profile(file);
  EXPECT_FALSE(profile.correlations_unique);
  EXPECT_TRUE(has_note(analysis::analyze_run(profile, {test_machine()}), "has 2 processes"));
}

}  // namespace
}  // namespace mansard::test
