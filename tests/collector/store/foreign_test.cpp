// SPDX-License-Identifier: Apache-2.0
// Databases written by Nsight Systems: fewer tables, other column versions.
#include <fstream>

#include <gtest/gtest.h>

#include "collector/store/profile.h"
#include "collector/store/sqlite.h"
#include "tests/support/scratch.h"

namespace mansard::store {
namespace {

using test::Scratch;

void create(const std::filesystem::path& file, const std::string& sql) {
  std::ofstream(file).close();
  Database database(file.string(), Database::Access::read_write);
  database.exec(sql);
}

// Kernels as written by version 3.16: no columns after sharedMemoryLimitConfig.
constexpr const char* kOldKernels =
    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL, "
    "deviceId INTEGER, contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid "
    "INTEGER, demangledName INTEGER, shortName INTEGER, mangledName INTEGER, launchType INTEGER, "
    "cacheConfig INTEGER, registersPerThread INTEGER, gridX INTEGER, gridY INTEGER, gridZ INTEGER, "
    "blockX INTEGER, blockY INTEGER, blockZ INTEGER, staticSharedMemory INTEGER, "
    "dynamicSharedMemory INTEGER, localMemoryPerThread INTEGER, localMemoryTotal INTEGER, gridId "
    "INTEGER, sharedMemoryExecuted INTEGER, graphNodeId INTEGER, sharedMemoryLimitConfig INTEGER);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId, streamId, "
    "correlationId, demangledName, shortName, gridX, gridY, gridZ, blockX, blockY, blockZ) VALUES "
    "(200, 300, 0, 1, 7, 12, 1, 2, 4, 5, 6, 128, 1, 1), (100, 150, 0, 1, 7, 11, 1, 2, 4, 5, 6, "
    "128, 1, 1);"
    "CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);"
    "INSERT INTO StringIds VALUES (1, 'void f<int>(int)'), (2, 'f'), (3, 'bprop | flop=5 "
    "precision=bf16');";

TEST(Foreign, OldExportWithoutLaterColumns) {
  const Scratch scratch;
  create(scratch / "old.sqlite", kOldKernels);
  const Profile p = load_profile(scratch / "old.sqlite");
  EXPECT_EQ(p.session.state, RecordingState::foreign);
  ASSERT_EQ(p.kernels.size(), 2u);
  EXPECT_EQ(p.kernels[0].start_ns, 100);  // sorted when loading: the export is not
  EXPECT_EQ(p.kernels[0].grid, (std::array<std::int32_t, 3>{4, 5, 6}));
  EXPECT_EQ(p.kernels[0].cluster, (std::array<std::int32_t, 3>{0, 0, 0}));
  EXPECT_EQ(p.kernels[0].graph_id, 0);
  EXPECT_EQ(p.string(p.kernels[0].demangled_name), "void f<int>(int)");
  EXPECT_EQ(p.string(p.kernels[0].mangled_name), "");
  EXPECT_TRUE(p.gpus.empty());
  EXPECT_TRUE(p.nvtx.empty());
}

TEST(Foreign, ReordersColumnsByName) {
  const Scratch scratch;
  create(scratch / "a.sqlite",
         "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (copyKind INTEGER, bytes INTEGER, novelty TEXT, "
         "end INTEGER, start INTEGER);"
         "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (8, 4096, 'new', 20, 10);");
  const Profile p = load_profile(scratch / "a.sqlite");
  ASSERT_EQ(p.memcpys.size(), 1u);
  EXPECT_EQ(p.memcpys[0].start_ns, 10);
  EXPECT_EQ(p.memcpys[0].end_ns, 20);
  EXPECT_EQ(p.memcpys[0].bytes, 4096);
  EXPECT_EQ(p.memcpys[0].copy_kind, 8);
}

TEST(Foreign, WorkAnnotationsAreParsedFromTexts) {
  const Scratch scratch;
  create(scratch / "a.sqlite",
         std::string(kOldKernels) +
             "CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER, "
             "text TEXT, globalTid INTEGER, textId INTEGER);"
             "INSERT INTO NVTX_EVENTS VALUES (1, 9, 59, 'fprop | flop=2 hbm=3', 5, NULL), (2, "
             "NULL, 59, NULL, 5, 3), (3, 4, 59, 'plain', 5, NULL);");
  const Profile p = load_profile(scratch / "a.sqlite");
  ASSERT_EQ(p.nvtx.size(), 3u);
  EXPECT_EQ(p.nvtx[1].end_ns, -1);
  ASSERT_EQ(p.work.size(), 2u);
  EXPECT_EQ(p.work.at(p.nvtx[0].row_id).name, "fprop");
  EXPECT_DOUBLE_EQ(p.work.at(p.nvtx[0].row_id).bytes.at(MemoryLevel::hbm), 3);
  EXPECT_EQ(p.work.at(p.nvtx[1].row_id).precision, Precision::bf16);
}

// Nsight Systems lists every process of the machine, in no order.
TEST(Foreign, TracedProcessIsTheProgram) {
  const Scratch scratch;
  const std::string tables =
      "CREATE TABLE PROCESSES (globalPid INTEGER, pid INTEGER, name TEXT);"
      "INSERT INTO PROCESSES VALUES ((1 << 48) + (7 << 24), 7, 'kworker/0:1'), ((1 << 48) + (100 "
      "<< 24), 100, 'python3');"
      "CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, text TEXT, "
      "globalTid INTEGER);"
      "INSERT INTO NVTX_EVENTS VALUES (1, 9, 59, 'x', (1 << 48) + (100 << 24) + 101);"
      "CREATE TABLE TARGET_INFO_SYSTEM_ENV (name TEXT, value TEXT);"
      "INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES ('Hostname', 'node7'), ('CpuDescription', 'Some "
      "CPU'), ('CpuCores', '16'), ('NvDriverVersion', '580.1');";
  create(scratch / "a.sqlite", tables);
  Profile p = load_profile(scratch / "a.sqlite");
  EXPECT_EQ(p.session.pid, 100);
  EXPECT_EQ(p.session.command, "python3");
  EXPECT_EQ(p.session.host, "node7");
  EXPECT_EQ(p.session.cpu_name, "Some CPU");
  EXPECT_EQ(p.session.cpu_cores, 16);
  EXPECT_EQ(p.session.driver_version, "580.1");
  // With the command given to nsys, words in order.
  create(scratch / "b.sqlite",
         tables +
             "CREATE TABLE META_DATA_CAPTURE (name TEXT, value TEXT);"
             "INSERT INTO META_DATA_CAPTURE VALUES ('PROCESS_0:ARGUMENT_1', '--fast'), "
             "('PROCESS_0:COMMAND', 'python3'), ('PROCESS_0:ARGUMENT_0', 'train.py');");
  p = load_profile(scratch / "b.sqlite");
  EXPECT_EQ(p.session.command, "python3 train.py --fast");
  EXPECT_EQ(p.session.pid, 100);
}

TEST(Foreign, SamplesWithoutATimeAreIgnored) {
  const Scratch scratch;
  create(scratch / "a.sqlite",
         std::string(kOldKernels) +
             "CREATE TABLE TARGET_INFO_GPU_METRICS (typeId, metricId, metricName);"
             "INSERT INTO TARGET_INFO_GPU_METRICS VALUES (1, 2, 'SMs Active');"
             "CREATE TABLE GPU_METRICS (timestamp INTEGER, typeId, metricId, value);"
             "INSERT INTO GPU_METRICS VALUES (NULL, 1, 2, 99), (50, 1, 2, 7);");
  const Profile p = load_profile(scratch / "a.sqlite");
  ASSERT_EQ(p.gpu_metrics.size(), 1u);
  EXPECT_EQ(p.gpu_metrics[0].end_ns, 50);
}

TEST(Foreign, IsNeverWrittenTo) {
  const Scratch scratch;
  create(scratch / "a.sqlite", kOldKernels);
  const auto before = std::filesystem::last_write_time(scratch / "a.sqlite");
  load_profile(scratch / "a.sqlite");
  EXPECT_EQ(std::filesystem::last_write_time(scratch / "a.sqlite"), before);
  EXPECT_FALSE(std::filesystem::exists(scratch / "a.sqlite-wal"));
}

}  // namespace
}  // namespace mansard::store
