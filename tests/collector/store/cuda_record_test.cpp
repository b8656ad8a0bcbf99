// SPDX-License-Identifier: Apache-2.0
// Rows of CUDA events: missing values when writing and reading, also from other versions.
#include <fstream>

#include <gtest/gtest.h>

#include "collector/store/recording_summary.h"
#include "collector/store/sqlite.h"
#include "tests/collector/sample.h"
#include "tests/support/scratch.h"

namespace mansard::store {
namespace {

TEST(CudaRecords, MissingValues) {
  const test::Scratch scratch;
  {
    ProfileWriter writer(scratch / "a.sqlite", test::sample_session());
    writer.add(SynchronizationRecord{.start_ns = 1, .end_ns = 2, .sync_type = 4});
    writer.add(MemoryRecord{.start_ns = 3, .bytes = 4});
    writer.add(OverheadRecord{.start_ns = 5, .end_ns = 6});
    writer.add(GraphNodeRecord{.start_ns = 6, .end_ns = 6, .graph_node_id = 9});
    writer.add(MemoryPoolRecord{.start_ns = 7, .operation = 2, .pool = PoolType::imported});
    writer.finish(RecordingState::complete);
  }
  Database database((scratch / "a.sqlite").string(), Database::Access::read_only);
  const auto count = [&](const char* table, const std::string& where) {
    Statement row =
        database.prepare("SELECT count(*) FROM " + std::string(table) + " WHERE " + where);
    row.step();
    return row.integer(0);
  };
  // As in CUPTI and Nsight Systems.
  EXPECT_EQ(count("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
                  "deviceId = 4294967295 AND contextId = 4294967295 AND streamId = 4294967295 AND "
                  "eventId = 4294967295 AND eventSyncId IS NULL"),
            1);
  EXPECT_EQ(count("CUDA_GPU_MEMORY_USAGE_EVENTS",
                  "deviceId = 4294967295 AND streamId IS NULL AND name IS NULL AND "
                  "localMemoryPoolSize IS NULL AND importedMemoryPoolProcessId IS NULL"),
            1);
  EXPECT_EQ(count("CUPTI_ACTIVITY_KIND_OVERHEAD",
                  "correlationId IS NULL AND nameId IS NULL AND globalTid = 4711 << 24"),
            1);
  EXPECT_EQ(count("CUDA_GPU_MEMORY_POOL_EVENTS",
                  "minBytesToKeep IS NULL AND localMemoryPoolSize IS NULL"),
            1);
  EXPECT_EQ(count("CUDA_GRAPH_NODE_EVENTS", "graphNodeId = 9 AND originalGraphNodeId IS NULL"), 1);
  const Profile p = load_profile(scratch / "a.sqlite");
  ASSERT_EQ(p.graph_nodes.size(), 1u);
  EXPECT_EQ(p.graph_nodes[0].original_graph_node_id, 0);
  ASSERT_EQ(p.synchronizations.size(), 1u);
  EXPECT_EQ(p.synchronizations[0].device_id, kNoId);
  EXPECT_EQ(p.synchronizations[0].stream_id, kNoId);
  EXPECT_EQ(p.synchronizations[0].event_id, kNoId);
  ASSERT_EQ(p.memory_events.size(), 1u);
  EXPECT_EQ(p.memory_events[0].stream_id, kNoId);
  EXPECT_EQ(p.memory_events[0].pool, PoolType::none);
  EXPECT_TRUE(p.graphs.empty());
  EXPECT_TRUE(p.streams.empty());
}

// Since schema 3.17, the type of reports of older versions is in a separate column. 2^32 - 1 means
// no event to synchronize with.
TEST(CudaRecords, SynchronizationTypesOfEveryVersion) {
  const test::Scratch scratch;
  const auto types = [&](const std::string& name, const std::string& sql) {
    const std::filesystem::path file = scratch / name;
    std::ofstream(file).close();
    Database(file.string(), Database::Access::read_write).exec(sql);
    std::vector<std::pair<std::int32_t, std::int64_t>> found;
    for (const SynchronizationRecord& s : load_profile(file).synchronizations) {
      found.emplace_back(s.sync_type, s.event_sync_id);
    }
    return found;
  };
  using Found = std::vector<std::pair<std::int32_t, std::int64_t>>;
  const std::string ranges = "CREATE TABLE NVTX_EVENTS (start, end, eventType, text);";
  EXPECT_EQ(
      types("3_16.sqlite",
            ranges + "CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start, end, syncType);"
                     "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (1, 2, 3);"),
      (Found{{3, 0}}));
  EXPECT_EQ(types("3_20.sqlite",
                  ranges + "CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start, end, "
                           "deprecatedSyncType, syncType, eventSyncId);"
                           "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (1, 2, NULL, 4, "
                           "4294967295), (3, 4, 3, 0, 12);"),
            (Found{{4, 0}, {3, 12}}));
}

TEST(CudaRecords, OlderExport) {
  const test::Scratch scratch;
  std::ofstream(scratch / "old.sqlite").close();
  {
    Database database((scratch / "old.sqlite").string(), Database::Access::read_write);
    database.exec(
        "CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start INTEGER, end INTEGER, deviceId "
        "INTEGER, contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER, "
        "graphId INTEGER, graphExecId INTEGER);"
        "INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES (10, 30, 1, 2, 7, 5, 9, 3, 4);"
        "CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS (start INTEGER, bytes INTEGER, "
        "memoryOperationType INTEGER, localMemoryPoolAddress INTEGER, localMemoryPoolSize INTEGER);"
        "INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS VALUES (2, 64, 1, NULL, NULL), (1, 64, 0, 4096, "
        "128);");
  }
  const Profile p = load_profile(scratch / "old.sqlite");
  ASSERT_EQ(p.graphs.size(), 1u);
  EXPECT_EQ(p.graphs[0].graph_id, 3);
  EXPECT_EQ(p.graphs[0].graph_exec_id, 4);
  ASSERT_EQ(p.memory_events.size(), 2u);
  EXPECT_EQ(p.memory_events[0].pool, PoolType::local);
  EXPECT_EQ(p.memory_events[0].pool_bytes, 128);
  EXPECT_EQ(p.memory_events[0].stream_id, kNoId) << "this version has no column for it";
  EXPECT_EQ(p.memory_events[1].operation, 1);
  EXPECT_EQ(p.memory_events[1].pool, PoolType::none);
  EXPECT_EQ(summarize_profile(scratch / "old.sqlite").graphs, 1);
}

}  // namespace
}  // namespace mansard::store
