// SPDX-License-Identifier: Apache-2.0
// Typical SQL for Nsight Systems exports, run on Mansard profiles.
#include <gtest/gtest.h>

#include "collector/store/sqlite.h"
#include "tests/collector/sample.h"
#include "tests/support/scratch.h"

namespace mansard::store {
namespace {

struct Query {
  const char* name;
  const char* sql;
  const char* expected;  // first column of the only row
};

class Queries : public testing::TestWithParam<Query> {};

TEST_P(Queries, Answers) {
  const test::Scratch scratch;
  test::write_sample(scratch / "a.sqlite");
  Database database((scratch / "a.sqlite").string(), Database::Access::read_only);
  Statement row = database.prepare(GetParam().sql);
  ASSERT_TRUE(row.step());
  EXPECT_EQ(row.text(0), GetParam().expected);
  EXPECT_FALSE(row.step());
}

INSTANTIATE_TEST_SUITE_P(
    Nsight, Queries,
    testing::Values(
        Query{"KernelTimeByName",
              "SELECT s.value || ' ' || sum(k.end - k.start) FROM CUPTI_ACTIVITY_KIND_KERNEL k "
              "JOIN StringIds s ON s.id = k.shortName GROUP BY s.value",
              "gemm 1001"},
        Query{"LaunchOfKernel",
              "SELECT s.value FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN CUPTI_ACTIVITY_KIND_RUNTIME r "
              "USING (correlationId) JOIN StringIds s ON s.id = r.nameId",
              "cuLaunchKernelEx"},
        Query{"LaunchLatency",
              "SELECT k.start - r.end FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN "
              "CUPTI_ACTIVITY_KIND_RUNTIME r ON k.correlationId = r.correlationId",
              "51"},
        Query{"ProcessAndThreadOfCall",
              "SELECT (globalTid / 0x1000000 % 0x1000000) || '/' || (globalTid % 0x1000000) FROM "
              "CUPTI_ACTIVITY_KIND_RUNTIME",
              "4711/4712"},
        Query{
            "RangeAroundLaunch",
            "SELECT n.text FROM NVTX_EVENTS n JOIN CUPTI_ACTIVITY_KIND_RUNTIME r ON n.globalTid = "
            "r.globalTid AND n.start <= r.start AND n.end >= r.end WHERE n.eventType = 59",
            "fprop | flop=1.1e12 hbm=4.03e8 l2=5e8 precision=nvfp4 class=gemm shape=8x4x2 "
            "bogus=1"},
        Query{"CopyKindByLabel",
              "SELECT e.label FROM CUPTI_ACTIVITY_KIND_MEMCPY m JOIN ENUM_CUDA_MEMCPY_OPER e ON "
              "e.id = m.copyKind",
              "Host-to-Device"},
        Query{"MemoryKindOfFill",
              "SELECT e.label FROM CUPTI_ACTIVITY_KIND_MEMSET m JOIN ENUM_CUDA_MEM_KIND e ON e.id "
              "= m.memKind",
              "Device"},
        Query{"GpuOfKernel",
              "SELECT g.name || ' ' || g.smCount FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN "
              "TARGET_INFO_GPU g ON g.id = k.deviceId",
              "NVIDIA H200 132"},
        Query{"ThreadName",
              "SELECT s.value FROM ThreadNames t JOIN StringIds s ON s.id = t.nameId WHERE "
              "t.globalTid = (4711 << 24) + 4712",
              "trainer"},
        Query{"WarningsByLabel",
              "SELECT e.label || ': ' || d.text FROM DIAGNOSTIC_EVENT d JOIN "
              "ENUM_DIAGNOSTIC_SEVERITY_LEVEL e ON e.id = d.severity",
              "Warning: something was slow"},
        Query{"ProcessOfKernel",
              "SELECT p.pid FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN PROCESSES p USING (globalPid)",
              "4711"},
        Query{"SchemaVersion",
              "SELECT value FROM META_DATA_EXPORT WHERE name = 'EXPORT_SCHEMA_VERSION'", "3.25.0"},
        Query{"SessionStart", "SELECT utcTime FROM TARGET_INFO_SESSION_START_TIME",
              "2023-11-14 22:13:20"}),
    [](const auto& param_info) { return std::string(param_info.param.name); });

// Every column that Nsight Systems' schema 3.25.0 has for kernels, in its order.
TEST(Schema, KernelTableHasAllColumns) {
  const test::Scratch scratch;
  test::write_sample(scratch / "a.sqlite");
  Database database((scratch / "a.sqlite").string(), Database::Access::read_only);
  Statement row = database.prepare(
      "SELECT group_concat(name, ' ') FROM pragma_table_info('CUPTI_ACTIVITY_KIND_KERNEL')");
  ASSERT_TRUE(row.step());
  EXPECT_EQ(row.text(0),
            "start end deviceId contextId greenContextId streamId correlationId globalPid "
            "demangledName shortName mangledName launchType cacheConfig registersPerThread gridX "
            "gridY gridZ blockX blockY blockZ staticSharedMemory dynamicSharedMemory "
            "localMemoryPerThread localMemoryTotal gridId sharedMemoryExecuted graphNodeId "
            "sharedMemoryLimitConfig qmdBulkReleaseDone qmdPreexitDone qmdLastCtaDone graphId "
            "clusterX clusterY clusterZ clusterSchedulingPolicy maxPotentialClusterSize "
            "maxActiveClusters sharedMemoryRequestedPercentage tensorSizeMinusOneElements");
}

TEST(Schema, TablesWithoutRowsAreNotCreated) {
  const test::Scratch scratch;
  {
    ProfileWriter writer(scratch / "a.sqlite", test::sample_session());
    writer.add(test::sample_range());
    writer.finish(RecordingState::complete);
  }
  Database database((scratch / "a.sqlite").string(), Database::Access::read_only);
  EXPECT_TRUE(database.has_table("NVTX_EVENTS"));
  EXPECT_FALSE(database.has_table("CUPTI_ACTIVITY_KIND_KERNEL"));
  EXPECT_FALSE(database.has_table("DIAGNOSTIC_EVENT"));
}

}  // namespace
}  // namespace mansard::store
