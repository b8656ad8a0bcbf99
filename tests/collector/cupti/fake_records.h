// SPDX-License-Identifier: Apache-2.0
// Handmade records as CUPTI would write them.
#pragma once

#include <cstring>
#include <vector>

#include <cupti.h>

namespace mansard::test {

constexpr std::uint64_t kSessionStart_ns = 1'700'000'000'000'000'000;

inline CUpti_ActivityKernel10 kernel_record() {
  CUpti_ActivityKernel10 k{};
  k.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  k.start = kSessionStart_ns + 1000;
  k.end = kSessionStart_ns + 3000;
  k.deviceId = 1;
  k.contextId = 2;
  k.streamId = 7;
  k.correlationId = 77;
  k.name = "_ZN2ns4gemmIfEEvPT_";
  k.gridX = 11;
  k.gridY = 12;
  k.gridZ = 13;
  k.blockX = 128;
  k.blockY = 2;
  k.blockZ = 3;
  k.clusterX = 2;
  k.clusterY = 1;
  k.clusterZ = 4;
  k.registersPerThread = 168;
  k.staticSharedMemory = 1024;
  k.dynamicSharedMemory = 232448;
  k.localMemoryPerThread = 16;
  k.localMemoryTotal_v2 = 5'000'000'000;
  k.gridId = 99;
  k.graphNodeId = 8'589'934'595;
  k.graphId = 3;
  k.launchType = CUPTI_ACTIVITY_LAUNCH_TYPE_COOPERATIVE_SINGLE_DEVICE;
  return k;
}

// Record of GPU `id`, whose UUID ends in that number.
inline CUpti_ActivityDevice5 device_record(std::uint32_t id) {
  CUpti_ActivityDevice5 d{};
  d.kind = CUPTI_ACTIVITY_KIND_DEVICE;
  d.id = id;
  d.name = "NVIDIA H200";
  d.isCudaVisible = 1;
  d.uuid.bytes[15] = static_cast<char>(id);
  return d;
}

inline CUpti_ActivityAPI api_record(CUpti_ActivityKind kind, CUpti_CallbackId id) {
  CUpti_ActivityAPI a{};
  a.kind = kind;
  a.cbid = id;
  a.start = kSessionStart_ns + 500;
  a.end = kSessionStart_ns + 600;
  a.processId = 4711;
  a.threadId = 4712;
  a.correlationId = 77;
  a.returnValue = 2;
  return a;
}

inline CUpti_ActivitySynchronization2 synchronization_record() {
  CUpti_ActivitySynchronization2 s{};
  s.kind = CUPTI_ACTIVITY_KIND_SYNCHRONIZATION;
  s.type = CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE;
  s.start = kSessionStart_ns + 700;
  s.end = kSessionStart_ns + 900;
  s.correlationId = 78;
  s.contextId = 2;
  s.streamId = 13;
  s.cudaEventId = CUPTI_SYNCHRONIZATION_INVALID_VALUE;
  s.cudaEventSyncId = CUPTI_SYNCHRONIZATION_INVALID_VALUE;
  return s;
}

inline CUpti_ActivityOverhead3 overhead_record() {
  CUpti_ActivityOverhead3 o{};
  o.kind = CUPTI_ACTIVITY_KIND_OVERHEAD;
  o.overheadKind = CUPTI_ACTIVITY_OVERHEAD_LAZY_FUNCTION_LOADING;
  o.objectKind = CUPTI_ACTIVITY_OBJECT_THREAD;
  o.objectId.pt.processId = 4711;
  o.objectId.pt.threadId = 4712;
  o.start = kSessionStart_ns + 400;
  o.end = kSessionStart_ns + 450;
  o.correlationId = 79;
  return o;
}

inline CUpti_ActivityMemory4 memory_record() {
  CUpti_ActivityMemory4 m{};
  m.kind = CUPTI_ACTIVITY_KIND_MEMORY2;
  m.memoryOperationType = CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION;
  m.memoryKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
  m.correlationId = 80;
  m.address = 0x7f0000000000;
  m.bytes = 6'000'000'000;
  m.timestamp = kSessionStart_ns + 300;
  m.PC = 0x401000;
  m.processId = 4711;
  m.deviceId = 1;
  m.contextId = 2;
  m.streamId = 13;
  m.name = "weights";
  m.isAsync = 1;
  m.memoryPoolConfig.memoryPoolType = CUPTI_ACTIVITY_MEMORY_POOL_TYPE_LOCAL;
  m.memoryPoolConfig.address = 0x7e0000000000;
  m.memoryPoolConfig.releaseThreshold = 11;
  m.memoryPoolConfig.pool.size = 12;
  m.memoryPoolConfig.utilizedSize = 13;
  return m;
}

inline CUpti_ActivityGraphTrace2 graph_record() {
  CUpti_ActivityGraphTrace2 g{};
  g.kind = CUPTI_ACTIVITY_KIND_GRAPH_TRACE;
  g.correlationId = 82;
  g.start = kSessionStart_ns + 5000;
  g.end = kSessionStart_ns + 9000;
  g.deviceId = g.endDeviceId = 1;
  g.contextId = g.endContextId = 2;
  g.streamId = 13;
  g.graphId = 17;
  return g;
}

template <class Record>
const CUpti_Activity& base(const Record& record) {
  return reinterpret_cast<const CUpti_Activity&>(record);
}

template <class Record>
void append(std::vector<std::uint8_t>& bytes, const Record& record) {
  const std::size_t at = bytes.size();
  bytes.resize(at + sizeof record);
  std::memcpy(bytes.data() + at, &record, sizeof record);
}

}  // namespace mansard::test
