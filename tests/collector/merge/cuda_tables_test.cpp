// SPDX-License-Identifier: Apache-2.0
// Merged profiles also contain records other than kernels, and their ids stay distinct.
#include <set>

#include <gtest/gtest.h>

#include "collector/merge/merge.h"
#include "collector/store/global_ids.h"
#include "tests/collector/merge/ranks.h"

namespace mansard::collector {
namespace {

using namespace test;

// Adds rows to a finished profile, as the collector would have before.
void add_cuda_rows(const std::filesystem::path& file, std::int64_t pid, std::int64_t start_ns) {
  store::Database database(file.string(), store::Database::Access::read_write);
  std::filesystem::path extra = file;
  extra += ".extra";
  store::SessionInfo session;
  session.pid = pid;
  {
    store::ProfileWriter writer(extra, session);
    writer.add(store::ContextRecord{.context_id = 1, .device_id = 0, .null_stream_id = 7});
    writer.add(store::StreamRecord{.stream_id = 7, .context_id = 1, .flag = 3});
    writer.add(store::SynchronizationRecord{
        .start_ns = start_ns,
        .end_ns = start_ns + 1000,
        .device_id = 0,
        .context_id = 1,
        .correlation_id = 201,  // the next rank's first, unless it is moved past
        .sync_type = 4});
    // On a GPU without work or description, which must still be distinguished from the other
    // rank's.
    writer.add(store::MemoryRecord{
        .start_ns = start_ns, .device_id = 3, .context_id = 1, .correlation_id = 202, .bytes = 64});
    writer.add(store::MemoryRecord{.start_ns = start_ns, .bytes = 32, .mem_kind = 1});
    writer.add(store::OverheadRecord{
        .start_ns = start_ns, .end_ns = start_ns + 10, .type = store::OverheadType::buffer_flush});
    writer.add(store::GraphNodeRecord{.start_ns = start_ns,
                                      .end_ns = start_ns,
                                      .global_tid = store::global_tid(pid, pid),
                                      .name = 0,
                                      .graph_node_id = 5});
    writer.add(store::GraphRecord{.start_ns = start_ns,
                                  .end_ns = start_ns + 10,
                                  .device_id = 0,
                                  .context_id = 1,
                                  .stream_id = 7,
                                  .correlation_id = 203});
    writer.finish(store::RecordingState::complete);
  }
  database.prepare("ATTACH DATABASE ? AS extra").run(std::string_view(extra.native()));
  for (const char* table :
       {"CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", "CUDA_GPU_MEMORY_USAGE_EVENTS",
        "CUPTI_ACTIVITY_KIND_OVERHEAD", "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", "CUDA_GRAPH_NODE_EVENTS",
        "TARGET_INFO_CUDA_STREAM", "TARGET_INFO_CUDA_CONTEXT_INFO"}) {
    std::string create;
    {
      store::Statement sql = database.prepare("SELECT sql FROM extra.sqlite_master WHERE name = ?");
      sql.bind(1, std::string_view(table));
      ASSERT_TRUE(sql.step());
      create = sql.text(0);
    }
    database.exec(create + "; INSERT INTO main." + table + " SELECT * FROM extra." + table);
  }
  database.exec("DETACH DATABASE extra");
}

class MergeCuda : public testing::Test {
 protected:
  // Two hosts; on each, the process is 1000 and the GPU 0.
  MergeCuda() {
    RankScenario a;
    RankScenario b;
    b.rank = 1;
    b.host = "node-1";
    b.clock = {30'000'000'000, 0};
    b.uuid = "GPU-1";
    std::vector<std::filesystem::path> files;
    for (const RankScenario& rank : {a, b}) {
      files.push_back(write_rank(scratch / ("r" + std::to_string(rank.rank) + ".sqlite"), rank));
      add_cuda_rows(files.back(), rank.pid, 1'000'000'000);
    }
    write_merged(plan_merge(files), scratch / "all.sqlite");
    p = store::load_profile(scratch / "all.sqlite");
  }

  const Scratch scratch;
  store::Profile p;
};

TEST_F(MergeCuda, TablesAreMergedOnOneClock) {
  ASSERT_EQ(p.synchronizations.size(), 2u);
  EXPECT_EQ(p.overheads.size(), 2u);
  EXPECT_EQ(p.graphs.size(), 2u);
  ASSERT_EQ(p.memory_events.size(), 4u);
  EXPECT_EQ(p.streams.size(), 2u);
  EXPECT_EQ(p.contexts.size(), 2u);
  for (const store::SynchronizationRecord& s : p.synchronizations) {
    const std::int64_t utc = p.session.start_utc_ns + s.start_ns;
    EXPECT_LT(std::abs(utc - (kTrueStart_ns + 1'000'000'000)), 5000);
    EXPECT_EQ(s.end_ns - s.start_ns, 1000);
  }
}

TEST_F(MergeCuda, DevicesCallsAndProcessesStayDistinct) {
  std::set<std::int32_t> waiting;
  std::set<std::int64_t> calls;
  for (const store::SynchronizationRecord& s : p.synchronizations) {
    waiting.insert(s.device_id);
    calls.insert(s.correlation_id);
  }
  EXPECT_EQ(waiting, (std::set<std::int32_t>{0, 1}));
  EXPECT_EQ(calls.size(), 2u);
  std::set<std::int32_t> allocating;
  for (const store::MemoryRecord& m : p.memory_events) {
    allocating.insert(m.device_id);
    EXPECT_EQ(m.device_id == store::kNoId, m.mem_kind == 1);
    EXPECT_TRUE(m.correlation_id == 0 || calls.insert(m.correlation_id).second);
  }
  EXPECT_EQ(allocating.size(), 3u) << "pinned memory, and a GPU of each rank";
  EXPECT_TRUE(allocating.contains(store::kNoId));
  EXPECT_FALSE(allocating.contains(0) || allocating.contains(1)) << "other GPUs";
  for (const store::KernelRecord& k : p.kernels) EXPECT_TRUE(calls.insert(k.correlation_id).second);
  std::set<std::int64_t> processes;
  for (const store::OverheadRecord& o : p.overheads) processes.insert(o.global_tid);
  EXPECT_EQ(processes.size(), 2u);
  std::set<std::int64_t> creating;
  for (const store::GraphNodeRecord& n : p.graph_nodes) {
    creating.insert(store::process_key(n.global_tid));
  }
  EXPECT_EQ(creating.size(), 2u);
}

// A stream has no globalPid, but its parts.
TEST_F(MergeCuda, StreamsKeepTheirProcesses) {
  store::Database database((scratch / "all.sqlite").string(), store::Database::Access::read_only);
  store::Statement rows = database.prepare(
      "SELECT m.rank, c.deviceId FROM TARGET_INFO_CUDA_STREAM s JOIN MANSARD_RANKS m "
      "ON m.globalPid = (s.hwId << 56) + (s.vmId << 48) + (s.processId << 24) "
      "JOIN TARGET_INFO_CUDA_CONTEXT_INFO c USING (vmId, processId, contextId) ORDER BY m.rank");
  for (const int rank : {0, 1}) {
    ASSERT_TRUE(rows.step());
    EXPECT_EQ(rows.integer(0), rank);
    EXPECT_EQ(rows.integer(1), rank);
  }
  EXPECT_FALSE(rows.step());
}

}  // namespace
}  // namespace mansard::collector
