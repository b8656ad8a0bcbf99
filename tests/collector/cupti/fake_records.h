// SPDX-License-Identifier: Apache-2.0
// Records as CUPTI would write them, made by hand.
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

// Of GPU `id`, whose UUID ends in that number.
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
