// SPDX-License-Identifier: Apache-2.0
#include "collector/cupti/program_objects.h"

namespace mansard::collector {
namespace {

store::GpuRecord translate(const CUpti_ActivityDevice5& d) {
  store::GpuRecord gpu;
  gpu.id = static_cast<std::int32_t>(d.id);
  gpu.name = d.name != nullptr ? d.name : "";
  gpu.uuid = format_uuid(d.uuid);
  gpu.total_memory_bytes = static_cast<std::int64_t>(d.globalMemorySize);
  gpu.l2_bytes = d.l2CacheSize;
  gpu.clock_rate_hz = std::int64_t{d.coreClockRate} * 1000;
  gpu.memory_bandwidth_bytes_per_s = static_cast<std::int64_t>(d.globalMemoryBandwidth) * 1000;
  gpu.sm_count = static_cast<std::int32_t>(d.numMultiprocessors);
  gpu.compute_major = static_cast<std::int32_t>(d.computeCapabilityMajor);
  gpu.compute_minor = static_cast<std::int32_t>(d.computeCapabilityMinor);
  return gpu;
}

store::ContextRecord translate(const CUpti_ActivityContext3& c) {
  store::ContextRecord context;
  context.context_id = static_cast<std::int32_t>(c.contextId);
  context.device_id = static_cast<std::int32_t>(c.deviceId);
  context.null_stream_id = c.nullStreamId;
  context.parent_context_id = static_cast<std::int32_t>(c.parentContextId);
  context.is_green = c.isGreenContext != 0;
  context.sm_count = context.is_green ? c.numMultiprocessors : 0;
  return context;
}

store::StreamRecord translate(const CUpti_ActivityStream& s) {
  store::StreamRecord stream;
  stream.stream_id = static_cast<std::int32_t>(s.streamId);
  stream.context_id = static_cast<std::int32_t>(s.contextId);
  stream.priority = static_cast<std::int32_t>(s.priority);  // negative: higher priority
  stream.flag = s.flag & CUPTI_ACTIVITY_STREAM_CREATE_MASK;
  return stream;
}

}  // namespace

std::string format_uuid(const CUuuid& uuid) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string text = "GPU-";
  for (int i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    const auto byte = static_cast<unsigned char>(uuid.bytes[i]);
    text += {kHex[byte >> 4], kHex[byte & 15]};
  }
  return text;
}

void CudaObjects::note(const CUpti_Activity& record) {
  if (record.kind == CUPTI_ACTIVITY_KIND_DEVICE) {
    const auto& device = reinterpret_cast<const CUpti_ActivityDevice5&>(record);
    if (device.isCudaVisible == 0) return;  // in the machine, but not visible to this program
    const auto [at, is_new] = known_gpus_.emplace(device.id, translate(device));
    if (!is_new) return;
    gpus_.push_back(at->second);
    if (used_gpus_.contains(device.id)) tell_of(device.id);
  } else if (record.kind == CUPTI_ACTIVITY_KIND_CONTEXT) {
    const auto& context = reinterpret_cast<const CUpti_ActivityContext3&>(record);
    note(context.contextId, context.deviceId);
    if (known_contexts_.insert(context.contextId).second) contexts_.push_back(translate(context));
  } else if (record.kind == CUPTI_ACTIVITY_KIND_STREAM) {
    const auto& stream = reinterpret_cast<const CUpti_ActivityStream&>(record);
    const std::pair<std::uint32_t, std::uint32_t> id(stream.contextId, stream.streamId);
    if (known_streams_.insert(id).second) streams_.push_back(translate(stream));
  }
}

void CudaObjects::note(std::uint32_t context, std::uint32_t device) {
  if (context == last_context_) return;  // common case: successive kernels of one context
  last_context_ = context;
  devices_.try_emplace(context, static_cast<std::int32_t>(device));
  if (used_gpus_.insert(device).second) tell_of(device);
}

void CudaObjects::tell_of(std::uint32_t gpu) const {
  const auto known = known_gpus_.find(gpu);
  if (known != known_gpus_.end() && on_device_) on_device_(known->second);
}

void CudaObjects::write(store::ProfileWriter& writer) {
  for (const store::GpuRecord& gpu : gpus_) writer.add(gpu);
  for (const store::ContextRecord& context : contexts_) writer.add(context);
  for (const store::StreamRecord& stream : streams_) writer.add(stream);
  gpus_.clear();
  contexts_.clear();
  streams_.clear();
}

std::int32_t CudaObjects::device_of(std::uint32_t context) const {
  const auto at = devices_.find(context);
  return at != devices_.end() ? at->second : store::kNoId;
}

}  // namespace mansard::collector
