// SPDX-License-Identifier: Apache-2.0
// Tests whole graphs, synchronization, overhead, memory, contexts and streams.
#include <climits>
#include <cstdlib>

#include "collector/cupti/nsight_numbers.h"
#include "collector/store/global_ids.h"
#include "tests/collector/cupti/translator.h"

namespace mansard::collector {
namespace {

using test::base;
using test::Translator;

CUpti_ActivityContext3 context_record() {
  CUpti_ActivityContext3 c{};
  c.kind = CUPTI_ACTIVITY_KIND_CONTEXT;
  c.contextId = 2;
  c.deviceId = 5;
  c.nullStreamId = 7;
  return c;
}

TEST_F(Translator, SynchronizationWithTheDeviceOfItsContext) {
  const store::Profile p = translate(context_record(), test::synchronization_record());
  ASSERT_EQ(p.synchronizations.size(), 1u);
  const store::SynchronizationRecord& s = p.synchronizations[0];
  EXPECT_EQ(s.start_ns, 700);
  EXPECT_EQ(s.end_ns, 900);
  EXPECT_EQ(s.device_id, 5);
  EXPECT_EQ(s.context_id, 2);
  EXPECT_EQ(s.stream_id, 13);
  EXPECT_EQ(s.correlation_id, 78);
  EXPECT_EQ(s.sync_type, 3);  // ENUM_CUPTI_SYNC_TYPE: stream
  EXPECT_EQ(s.event_id, store::kNoId);
  EXPECT_EQ(s.event_sync_id, 0);
}

TEST_F(Translator, SynchronizationWithAnEvent) {
  CUpti_ActivitySynchronization2 wait = test::synchronization_record();
  wait.type = CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_EVENT_SYNCHRONIZE;
  wait.streamId = CUPTI_SYNCHRONIZATION_INVALID_VALUE;
  wait.cudaEventId = 31;
  wait.cudaEventSyncId = 1ull << 40;
  CUpti_ActivitySynchronization2 wide = test::synchronization_record();
  wide.start += 1;
  wide.cudaEventSyncId = ~0ull;
  const store::Profile p = translate(wait, wide);
  ASSERT_EQ(p.synchronizations.size(), 2u);
  EXPECT_EQ(p.synchronizations[0].stream_id, store::kNoId);
  EXPECT_EQ(p.synchronizations[0].event_id, 31);
  EXPECT_EQ(p.synchronizations[0].event_sync_id, 1ll << 40);
  EXPECT_EQ(p.synchronizations[0].device_id, store::kNoId)
      << "the device of the context is unknown";
  EXPECT_EQ(p.synchronizations[1].event_sync_id, 0);
}

TEST_F(Translator, WorkAlsoRevealsTheDeviceOfAContext) {
  const store::Profile p = translate(test::kernel_record(), test::synchronization_record());
  ASSERT_EQ(p.synchronizations.size(), 1u);
  EXPECT_EQ(p.synchronizations[0].device_id, 1);
}

TEST_F(Translator, QueriesAreNotWaits) {
  CUpti_ActivitySynchronization2 query = test::synchronization_record();
  query.returnValue = CUDA_ERROR_NOT_READY;
  EXPECT_TRUE(translate(query).synchronizations.empty());
}

TEST_F(Translator, OverheadOfAThreadAndOfTheProcess) {
  CUpti_ActivityOverhead3 lazy = test::overhead_record();
  CUpti_ActivityOverhead3 flush = test::overhead_record();
  flush.overheadKind = CUPTI_ACTIVITY_OVERHEAD_CUPTI_BUFFER_FLUSH;
  flush.objectKind = CUPTI_ACTIVITY_OBJECT_CONTEXT;
  flush.start += 1;
  flush.correlationId = 0;
  const store::Profile p = translate(lazy, flush);
  ASSERT_EQ(p.overheads.size(), 2u);
  EXPECT_EQ(p.overheads[0].start_ns, 400);
  EXPECT_EQ(p.overheads[0].end_ns, 450);
  EXPECT_EQ(p.overheads[0].global_tid, store::global_tid(4711, 4712));
  EXPECT_EQ(p.overheads[0].correlation_id, 79);
  EXPECT_EQ(p.overheads[0].type, store::OverheadType::lazy_function_loading);
  EXPECT_EQ(p.string(p.overheads[0].name), "Lazy function loading");
  EXPECT_FALSE(store::is_profilers_own(p.overheads[0].type));
  EXPECT_EQ(p.overheads[1].global_tid, store::global_tid(4711, 0));
  EXPECT_EQ(p.overheads[1].correlation_id, 0);
  EXPECT_EQ(p.overheads[1].type, store::OverheadType::buffer_flush);
  EXPECT_TRUE(store::is_profilers_own(p.overheads[1].type));
}

TEST_F(Translator, FullCommandBufferDataIsFreedOnce) {
  CUpti_ActivityOverhead3 full = test::overhead_record();
  full.overheadKind = CUPTI_ACTIVITY_OVERHEAD_COMMAND_BUFFER_FULL;
  full.overheadData = std::malloc(sizeof(CUpti_ActivityOverheadCommandBufferFullData));
  CUpti_ActivityOverhead3 other = test::overhead_record();
  int not_ours = 0;
  other.overheadData = &not_ours;  // undocumented for this kind: free() would abort
  other.start += 1;
  const store::Profile p = translate(full, other);
  ASSERT_EQ(p.overheads.size(), 2u);
  EXPECT_EQ(p.overheads[0].type, store::OverheadType::command_buffer_full);
}

TEST(NsightNumbers, OverheadTypes) {
  EXPECT_EQ(nsight_overhead_type(CUPTI_ACTIVITY_OVERHEAD_UNKNOWN), store::OverheadType::unknown);
  EXPECT_EQ(nsight_overhead_type(CUPTI_ACTIVITY_OVERHEAD_DRIVER_COMPILER),
            store::OverheadType::driver_compiler);
  EXPECT_EQ(nsight_overhead_type(CUPTI_ACTIVITY_OVERHEAD_CUPTI_RESOURCE),
            store::OverheadType::resource);
  EXPECT_EQ(nsight_overhead_type(CUPTI_ACTIVITY_OVERHEAD_ACTIVITY_BUFFER_REQUEST),
            store::OverheadType::buffer_request);
  EXPECT_EQ(nsight_overhead_type(9 << 16), store::OverheadType::unknown);  // of a later CUPTI
  EXPECT_EQ(nsight_overhead_type((3 << 16) + 1), store::OverheadType::unknown);
}

TEST_F(Translator, AllocationOfALocalPool) {
  const store::Profile p = translate(test::memory_record());
  ASSERT_EQ(p.memory_events.size(), 1u);
  const store::MemoryRecord& m = p.memory_events[0];
  EXPECT_EQ(m.start_ns, 300);
  EXPECT_EQ(m.device_id, 1);
  EXPECT_EQ(m.context_id, 2);
  EXPECT_EQ(m.stream_id, 13);
  EXPECT_EQ(m.correlation_id, 80);
  EXPECT_EQ(m.address, 0x7f0000000000);
  EXPECT_EQ(m.pc, 0x401000);
  EXPECT_EQ(m.bytes, 6'000'000'000);
  EXPECT_EQ(m.mem_kind, 2);   // ENUM_CUDA_MEM_KIND: device
  EXPECT_EQ(m.operation, 0);  // ENUM_CUDA_DEV_MEM_EVENT_OPER: allocation
  EXPECT_EQ(m.name, "weights");
  EXPECT_EQ(m.pool, store::PoolType::local);
  EXPECT_EQ(m.pool_address, 0x7e0000000000);
  EXPECT_EQ(m.pool_release_threshold_bytes, 11);
  EXPECT_EQ(m.pool_bytes, 12);
  EXPECT_EQ(m.pool_utilized_bytes, 13);
  EXPECT_EQ(m.pool_pid, 0);
}

TEST_F(Translator, ReleaseOfPinnedMemoryAndOfAnImportedPool) {
  CUpti_ActivityMemory4 pinned = test::memory_record();
  pinned.memoryOperationType = CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_RELEASE;
  pinned.memoryKind = CUPTI_ACTIVITY_MEMORY_KIND_PINNED;
  pinned.deviceId = UINT_MAX;
  pinned.contextId = CUPTI_INVALID_CONTEXT_ID;
  pinned.isAsync = 0;
  pinned.name = nullptr;
  pinned.memoryPoolConfig.memoryPoolType = CUPTI_ACTIVITY_MEMORY_POOL_TYPE_INVALID;
  CUpti_ActivityMemory4 imported = test::memory_record();
  imported.timestamp += 1;
  imported.memoryPoolConfig.memoryPoolType = CUPTI_ACTIVITY_MEMORY_POOL_TYPE_IMPORTED;
  imported.memoryPoolConfig.pool.processId = 1234;
  CUpti_ActivityMemory4 invalid = test::memory_record();
  invalid.memoryOperationType = CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_INVALID;
  const store::Profile p = translate(pinned, imported, invalid);
  ASSERT_EQ(p.memory_events.size(), 2u);
  EXPECT_EQ(p.memory_events[0].operation, 1);
  EXPECT_EQ(p.memory_events[0].mem_kind, 1);
  EXPECT_EQ(p.memory_events[0].device_id, store::kNoId);
  EXPECT_EQ(p.memory_events[0].context_id, store::kNoId);
  EXPECT_EQ(p.memory_events[0].stream_id, store::kNoId);
  EXPECT_EQ(p.memory_events[0].name, "");
  EXPECT_EQ(p.memory_events[0].pool, store::PoolType::none);
  EXPECT_EQ(p.memory_events[1].pool, store::PoolType::imported);
  EXPECT_EQ(p.memory_events[1].pool_pid, 1234);
  EXPECT_EQ(p.memory_events[1].pool_bytes, 0);
}

TEST_F(Translator, MemoryPools) {
  CUpti_ActivityMemoryPool3 created{};
  created.kind = CUPTI_ACTIVITY_KIND_MEMORY_POOL;
  created.memoryPoolOperationType = CUPTI_ACTIVITY_MEMORY_POOL_OPERATION_TYPE_CREATED;
  created.memoryPoolType = CUPTI_ACTIVITY_MEMORY_POOL_TYPE_LOCAL;
  created.correlationId = 81;
  created.deviceId = 1;
  created.minBytesToKeep = 5;  // not meaningful here
  created.address = 0x7e0000000000;
  created.size = 6;
  created.releaseThreshold = 7;
  created.utilizedSize = 8;
  created.timestamp = test::kSessionStart_ns + 10;
  CUpti_ActivityMemoryPool3 trimmed = created;
  trimmed.memoryPoolOperationType = CUPTI_ACTIVITY_MEMORY_POOL_OPERATION_TYPE_TRIMMED;
  trimmed.timestamp += 1;
  const store::Profile p = translate(created, trimmed);
  ASSERT_EQ(p.memory_pool_events.size(), 2u);
  const store::MemoryPoolRecord& m = p.memory_pool_events[0];
  EXPECT_EQ(m.start_ns, 10);
  EXPECT_EQ(m.device_id, 1);
  EXPECT_EQ(m.correlation_id, 81);
  EXPECT_EQ(m.address, 0x7e0000000000);
  EXPECT_EQ(m.operation, 1);
  EXPECT_EQ(m.pool, store::PoolType::local);
  EXPECT_EQ(m.min_bytes_to_keep, 0);
  EXPECT_EQ(m.bytes, 6);
  EXPECT_EQ(m.release_threshold_bytes, 7);
  EXPECT_EQ(m.utilized_bytes, 8);
  EXPECT_EQ(p.memory_pool_events[1].operation, 3);
  EXPECT_EQ(p.memory_pool_events[1].min_bytes_to_keep, 5);
}

TEST_F(Translator, GraphAsAWholeAndAWarningThatItsKernelsAreMissing) {
  CUpti_ActivityGraphTrace2 from_host = test::graph_record();
  from_host.deviceId = INT_MAX;
  from_host.contextId = INT_MAX;
  from_host.endDeviceId = 3;
  from_host.endContextId = 4;
  from_host.start += 1;
  CUpti_ActivityGraphTrace2 on_host = from_host;
  on_host.endDeviceId = INT_MAX;
  on_host.endContextId = INT_MAX;
  on_host.start += 1;
  EXPECT_TRUE(translator.is_work(base(from_host)));
  const store::Profile p = translate(test::graph_record(), from_host, on_host);
  ASSERT_EQ(p.graphs.size(), 3u);
  EXPECT_EQ(p.graphs[0].start_ns, 5000);
  EXPECT_EQ(p.graphs[0].end_ns, 9000);
  EXPECT_EQ(p.graphs[0].device_id, 1);
  EXPECT_EQ(p.graphs[0].context_id, 2);
  EXPECT_EQ(p.graphs[0].stream_id, 13);
  EXPECT_EQ(p.graphs[0].correlation_id, 82);
  EXPECT_EQ(p.graphs[0].graph_id, 17);
  EXPECT_EQ(p.graphs[0].graph_exec_id, 17);
  EXPECT_EQ(p.graphs[1].device_id, 3);
  EXPECT_EQ(p.graphs[1].context_id, 4);
  EXPECT_EQ(p.graphs[2].device_id, store::kNoId);
  EXPECT_EQ(p.graphs[2].context_id, store::kNoId);
  ASSERT_EQ(p.diagnostics.size(), 1u);
  EXPECT_EQ(p.diagnostics[0].severity, store::Severity::warning);
  EXPECT_NE(p.diagnostics[0].text.find("--cuda-graph-trace node"), std::string::npos);
}

TEST_F(Translator, ContextsAndStreamsOnceAlsoWhenNotedBefore) {
  CUpti_ActivityContext3 green = context_record();
  green.contextId = 3;
  green.parentContextId = 2;
  green.isGreenContext = 1;
  green.numMultiprocessors = 16;
  CUpti_ActivityStream stream{};
  stream.kind = CUPTI_ACTIVITY_KIND_STREAM;
  stream.contextId = 2;
  stream.streamId = 13;
  stream.priority = static_cast<std::uint32_t>(-5);
  stream.flag = static_cast<CUpti_ActivityStreamFlag>(
      CUPTI_ACTIVITY_STREAM_CREATE_FLAG_NON_BLOCKING | 1 << 16);
  CUpti_ActivityStream same_number = stream;  // in another context
  same_number.contextId = 3;
  same_number.flag = CUPTI_ACTIVITY_STREAM_CREATE_FLAG_DEFAULT;
  translator.note(base(stream));
  translator.note(base(context_record()));
  EXPECT_FALSE(translator.is_work(base(stream)));
  const store::Profile p =
      translate(context_record(), green, stream, same_number, test::synchronization_record());
  ASSERT_EQ(p.contexts.size(), 2u);
  EXPECT_EQ(p.contexts[0].context_id, 2);
  EXPECT_EQ(p.contexts[0].device_id, 5);
  EXPECT_EQ(p.contexts[0].null_stream_id, 7);
  EXPECT_EQ(p.contexts[0].pid, 4711);
  EXPECT_EQ(p.contexts[0].parent_context_id, 0);
  EXPECT_FALSE(p.contexts[0].is_green);
  EXPECT_EQ(p.contexts[1].parent_context_id, 2);
  EXPECT_TRUE(p.contexts[1].is_green);
  EXPECT_EQ(p.contexts[1].sm_count, 16);
  ASSERT_EQ(p.streams.size(), 2u);
  EXPECT_EQ(p.streams[0].stream_id, 13);
  EXPECT_EQ(p.streams[0].context_id, 2);
  EXPECT_EQ(p.streams[0].pid, 4711);
  EXPECT_EQ(p.streams[0].priority, -5);
  EXPECT_EQ(p.streams[0].flag, 2);  // ENUM_CUPTI_STREAM_TYPE: non-blocking
  EXPECT_EQ(p.streams[1].context_id, 3);
}

TEST_F(Translator, OnlyWorkWithLostTimesCountsAsLost) {
  CUpti_ActivitySynchronization2 wait = test::synchronization_record();
  wait.start = wait.end = 0;
  CUpti_ActivityOverhead3 overhead = test::overhead_record();
  overhead.start = overhead.end = 0;
  CUpti_ActivityMemory4 memory = test::memory_record();
  memory.timestamp = 0;
  CUpti_ActivityGraphTrace2 graph = test::graph_record();
  graph.start = graph.end = 0;
  const store::Profile p = translate(wait, overhead, memory, graph);
  EXPECT_TRUE(p.synchronizations.empty());
  EXPECT_TRUE(p.overheads.empty());
  EXPECT_TRUE(p.memory_events.empty());
  EXPECT_TRUE(p.graphs.empty());
  EXPECT_EQ(translator.without_times(), 1);
}

}  // namespace
}  // namespace mansard::collector
