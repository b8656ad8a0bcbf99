// SPDX-License-Identifier: Apache-2.0
// Tests GPU numbers in an export when CUDA_VISIBLE_DEVICES hid some of the machine's GPUs.
#include "collector/store/device_ids.h"

#include <fstream>

#include <gtest/gtest.h>

#include "collector/store/profile.h"
#include "tests/support/scratch.h"

namespace mansard::store {
namespace {

using test::Scratch;

// Three GPUs in Nsight's numbering, and every table with a device column, each with a row of
// process 100 on CUDA device 0 (kernels also with device 1, and one of process 200).
constexpr const char* kExport =
    "CREATE TABLE TARGET_INFO_GPU (id INTEGER, name TEXT, uuid TEXT, smCount INTEGER);"
    "INSERT INTO TARGET_INFO_GPU VALUES (0, 'A', '0000aaaa-1', 10), (1, 'B', 'GPU-bbbb', 20), "
    "(2, 'C', NULL, 30);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, correlationId, globalPid);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1, 2, 0, 1, (1 << 48) + (100 << 24)), "
    "(3, 4, 1, 2, (1 << 48) + (100 << 24)), (5, 6, 0, 3, (1 << 48) + (200 << 24));"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start, end, deviceId, globalPid);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (1, 2, 0, (1 << 48) + (100 << 24));"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start, end, deviceId, globalPid);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (1, 2, 0, (1 << 48) + (100 << 24));"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start, end, deviceId, globalPid);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES (1, 2, 0, (1 << 48) + (100 << 24));"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start, end, deviceId, globalPid);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (1, 2, 0, (1 << 48) + (100 << 24)), "
    "(3, 4, 4294967295, (1 << 48) + (100 << 24));"
    "CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS (start, deviceId, globalPid);"
    "INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS VALUES (1, 0, (1 << 48) + (100 << 24));"
    "CREATE TABLE CUDA_GPU_MEMORY_POOL_EVENTS (start, deviceId, globalPid);"
    "INSERT INTO CUDA_GPU_MEMORY_POOL_EVENTS VALUES (1, 0, (1 << 48) + (100 << 24));"
    "CREATE TABLE TARGET_INFO_CUDA_CONTEXT_INFO (contextId, deviceId, processId);"
    "INSERT INTO TARGET_INFO_CUDA_CONTEXT_INFO VALUES (1, 0, 100);";

class DeviceNumbers : public testing::Test {
 protected:
  Profile load(const std::string& more) {
    const std::filesystem::path file = scratch_ / "a.sqlite";
    std::filesystem::remove(file);
    std::ofstream(file).close();
    {
      Database database(file.string(), Database::Access::read_write);
      database.exec(kExport + more);
    }
    return load_profile(file);
  }
  // Device ids of the three kernels.
  static std::vector<std::int32_t> kernels(const Profile& p) {
    std::vector<std::int32_t> ids;
    for (const KernelRecord& k : p.kernels) ids.push_back(k.device_id);
    return ids;
  }
  using Ids = std::vector<std::int32_t>;
  Scratch scratch_;
};

TEST_F(DeviceNumbers, OfEachProcess) {
  const Profile p = load(
      "CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INTEGER, cudaId INTEGER, pid INTEGER);"
      "INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (2, 0, 100), (0, 1, 100), (1, 0, 200);");
  EXPECT_EQ(kernels(p), (Ids{2, 0, 1}));
  EXPECT_EQ(p.memcpys.at(0).device_id, 2);
  EXPECT_EQ(p.memsets.at(0).device_id, 2);
  EXPECT_EQ(p.graphs.at(0).device_id, 2);
  EXPECT_EQ(p.synchronizations.at(0).device_id, 2);
  EXPECT_EQ(p.synchronizations.at(1).device_id, kNoId);
  EXPECT_EQ(p.memory_events.at(0).device_id, 2);
  EXPECT_EQ(p.memory_pool_events.at(0).device_id, 2);
  EXPECT_EQ(p.contexts.at(0).device_id, 2);
}

// Later versions identify the GPU by UUID, with or without NVML's prefix.
TEST_F(DeviceNumbers, ByUuid) {
  const Profile p = load(
      "CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INTEGER, cudaId INTEGER, pid INTEGER, uuid "
      "TEXT);"
      "INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (NULL, 0, 100, 'bbbb'), (NULL, 1, 100, "
      "'GPU-0000aaaa-1'), (2, 0, 200, 'unknown');");
  EXPECT_EQ(kernels(p), (Ids{1, 0, 2}));
}

TEST_F(DeviceNumbers, ByGpuColumnWithoutProcessMapping) {
  const std::string column =
      "ALTER TABLE TARGET_INFO_GPU ADD COLUMN cuDevice INTEGER;"
      "UPDATE TARGET_INFO_GPU SET cuDevice = CASE id WHEN 2 THEN 0 WHEN 1 THEN 1 ELSE -1 END;";
  EXPECT_EQ(kernels(load(column)), (Ids{2, 1, 2}));
  // The mapping of a process takes precedence.
  EXPECT_EQ(
      kernels(load(column + "CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId, cudaId, pid);"
                            "INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (0, 0, 100), (2, 1, 100), "
                            "(0, 0, 200);")),
      (Ids{0, 2, 0}));
}

TEST_F(DeviceNumbers, AreUnchangedWithoutAMapping) {
  EXPECT_EQ(kernels(load("")), (Ids{0, 1, 0}));
  // A column that would merge two GPUs.
  EXPECT_EQ(kernels(load("ALTER TABLE TARGET_INFO_GPU ADD COLUMN cuDevice INTEGER DEFAULT 0;")),
            (Ids{0, 1, 0}));
}

TEST_F(DeviceNumbers, UuidsHaveNvmlFormat) {
  const Profile p = load("");
  ASSERT_EQ(p.gpus.size(), 3u);
  EXPECT_EQ(p.gpus[0].uuid, "GPU-0000aaaa-1");
  EXPECT_EQ(p.gpus[1].uuid, "GPU-bbbb");
  EXPECT_EQ(p.gpus[2].uuid, "");
  EXPECT_EQ(complete_gpu_uuid("MIG-1"), "MIG-1");
}

TEST_F(DeviceNumbers, OfRowsWithoutAProcess) {
  load(
      "CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId, cudaId, pid);"
      "INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (2, 0, 100), (1, 0, 200), (1, 1, 100), "
      "(1, 1, 200);");
  Database database((scratch_ / "a.sqlite").string(), Database::Access::read_only);
  const DeviceIds ids(database);
  EXPECT_EQ(ids.of(0, std::nullopt), 0) << "GPU 2 or 1";
  EXPECT_EQ(ids.of(1, std::nullopt), 1);
  EXPECT_EQ(ids.of(0, 100), 2);
  EXPECT_EQ(ids.of(0, 300), 0);
}

}  // namespace
}  // namespace mansard::store
