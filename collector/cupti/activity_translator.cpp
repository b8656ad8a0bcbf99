// SPDX-License-Identifier: Apache-2.0
#include "collector/cupti/activity_translator.h"

#include "collector/cupti/kernel_name.h"
#include "collector/store/recording_process.h"

namespace mansard {

// The layouts of CUPTI 13.0. A header in which they differ must be looked at by a person.
static_assert(sizeof(CUpti_ActivityKernel10) == 216);
static_assert(sizeof(CUpti_ActivityMemcpy6) == 96);
static_assert(sizeof(CUpti_ActivityMemcpyPtoP4) == 96);
static_assert(sizeof(CUpti_ActivityMemset4) == 88);
static_assert(sizeof(CUpti_ActivityAPI) == 40);
static_assert(sizeof(CUpti_ActivityDevice5) == 184);

namespace {

template <class Record>
const Record& as(const CUpti_Activity& record) {
  return reinterpret_cast<const Record&>(record);
}

GpuRecord translate_device(const CUpti_ActivityDevice5& d) {
  GpuRecord gpu;
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

// CUPTI counts from "unknown", Nsight Systems' ENUM_CUDA_MEM_KIND from "pageable".
std::int32_t memory_kind(int cupti_kind) {
  constexpr std::int32_t kUnknown = 7;
  return cupti_kind >= 1 && cupti_kind <= 7 ? cupti_kind - 1 : kUnknown;
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

ActivityTranslator::ActivityTranslator(std::int64_t session_start_ns, NameOf name_of,
                                       OnDevice on_device)
    : session_start_ns_(session_start_ns),
      name_of_(std::move(name_of)),
      on_device_(std::move(on_device)) {}

bool ActivityTranslator::is_work(const CUpti_Activity& record) {
  switch (record.kind) {
    case CUPTI_ACTIVITY_KIND_KERNEL:
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
    case CUPTI_ACTIVITY_KIND_MEMCPY:
    case CUPTI_ACTIVITY_KIND_MEMCPY2:
    case CUPTI_ACTIVITY_KIND_MEMSET:
      return true;
    case CUPTI_ACTIVITY_KIND_RUNTIME:
    case CUPTI_ACTIVITY_KIND_DRIVER:
      return api_name(as<CUpti_ActivityAPI>(record)).is_work;
    default:
      return false;
  }
}

void ActivityTranslator::note(const CUpti_Activity& record) {
  if (record.kind != CUPTI_ACTIVITY_KIND_DEVICE) return;
  const auto& device = as<CUpti_ActivityDevice5>(record);
  if (device.isCudaVisible == 0) return;  // of the machine, but not of this program
  const GpuRecord gpu = translate_device(device);
  if (!known_devices_.emplace(gpu.id, gpu).second) return;
  devices_.emplace(gpu.id, gpu);
  if (used_devices_.contains(gpu.id)) tell_device(gpu.id);
}

void ActivityTranslator::use_device(std::int32_t id) {
  last_used_ = id;
  if (used_devices_.insert(id).second) tell_device(id);
}

// Once: when the later of its record and its first use has come.
void ActivityTranslator::tell_device(std::int32_t id) {
  const auto known = known_devices_.find(id);
  if (known != known_devices_.end() && on_device_) on_device_(known->second);
}

void ActivityTranslator::write_devices(ProfileWriter& writer) {
  for (const auto& [id, gpu] : devices_) writer.add(gpu);
  devices_.clear();
}

void ActivityTranslator::translate(const CUpti_Activity& record, ProfileWriter& writer) {
  note(record);
  if (!devices_.empty()) write_devices(writer);
  switch (record.kind) {
    case CUPTI_ACTIVITY_KIND_KERNEL:
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      return kernel(as<CUpti_ActivityKernel10>(record), writer);
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      return copy(as<CUpti_ActivityMemcpy6>(record), writer);
    case CUPTI_ACTIVITY_KIND_MEMCPY2:
      return copy(as<CUpti_ActivityMemcpyPtoP4>(record), writer);
    case CUPTI_ACTIVITY_KIND_MEMSET:
      return fill(as<CUpti_ActivityMemset4>(record), writer);
    case CUPTI_ACTIVITY_KIND_RUNTIME:
    case CUPTI_ACTIVITY_KIND_DRIVER:
      return api(as<CUpti_ActivityAPI>(record), writer);
    default:
      return;
  }
}

// What all work for a GPU has; false if its times are lost.
template <class Record, class Out>
bool ActivityTranslator::common(const Record& r, Out& out) {
  out.device_id = static_cast<std::int32_t>(r.deviceId);
  if (out.device_id != last_used_) use_device(out.device_id);
  out.context_id = static_cast<std::int32_t>(r.contextId);
  out.stream_id = static_cast<std::int32_t>(r.streamId);
  out.correlation_id = r.correlationId;
  out.graph_node_id = static_cast<std::int64_t>(r.graphNodeId);
  return times(r, out);
}

template <class Record, class Out>
bool ActivityTranslator::times(const Record& record, Out& out) {
  if (record.start == 0 || record.end == 0) {
    ++without_times_;
    return false;
  }
  out.start_ns = static_cast<std::int64_t>(record.start) - session_start_ns_;
  out.end_ns = static_cast<std::int64_t>(record.end) - session_start_ns_;
  return true;
}

void ActivityTranslator::kernel(const CUpti_ActivityKernel10& r, ProfileWriter& writer) {
  KernelRecord k;
  if (!common(r, k)) return;
  const KernelNames name = names(r.name != nullptr ? r.name : "unknown", writer);
  k.demangled_name = name.demangled;
  k.short_name = name.short_name;
  k.mangled_name = name.mangled;
  k.grid = {r.gridX, r.gridY, r.gridZ};
  k.block = {r.blockX, r.blockY, r.blockZ};
  k.cluster = {static_cast<std::int32_t>(r.clusterX), static_cast<std::int32_t>(r.clusterY),
               static_cast<std::int32_t>(r.clusterZ)};
  k.registers_per_thread = r.registersPerThread;
  k.static_shared_bytes = r.staticSharedMemory;
  k.dynamic_shared_bytes = r.dynamicSharedMemory;
  k.local_bytes_per_thread = static_cast<std::int32_t>(r.localMemoryPerThread);
  k.local_bytes_total = static_cast<std::int64_t>(r.localMemoryTotal_v2);
  k.grid_id = r.gridId;
  k.graph_id = static_cast<std::int32_t>(r.graphId);
  k.launch_type = r.launchType + 1;  // ENUM_CUDA_KERNEL_LAUNCH_TYPE counts from "unknown"
  writer.add(k);
}

template <class Copy>
void ActivityTranslator::copy(const Copy& r, ProfileWriter& writer) {
  MemcpyRecord m;
  if (!common(r, m)) return;
  m.bytes = static_cast<std::int64_t>(r.bytes);
  m.copy_kind = r.copyKind;
  m.src_kind = memory_kind(r.srcKind);
  m.dst_kind = memory_kind(r.dstKind);
  writer.add(m);
}

void ActivityTranslator::fill(const CUpti_ActivityMemset4& r, ProfileWriter& writer) {
  MemsetRecord m;
  if (!common(r, m)) return;
  m.value = r.value;
  m.bytes = static_cast<std::int64_t>(r.bytes);
  m.mem_kind = memory_kind(r.memoryKind);
  writer.add(m);
}

void ActivityTranslator::api(const CUpti_ActivityAPI& r, ProfileWriter& writer) {
  ApiRecord a;
  if (!times(r, a)) return;
  ApiName& name = api_name(r);
  if (name.id == 0) name.id = writer.intern(name.text);
  a.name = name.id;
  a.event_class = r.kind == CUPTI_ACTIVITY_KIND_RUNTIME ? 0 : 1;
  a.global_tid = global_tid(r.processId, r.threadId);
  a.correlation_id = r.correlationId;
  a.return_value = static_cast<std::int32_t>(r.returnValue);
  writer.add(a);
}

ActivityTranslator::KernelNames ActivityTranslator::names(const char* mangled,
                                                          ProfileWriter& writer) {
  const auto [at, added] = kernel_names_.try_emplace(mangled);
  if (added) {
    const std::string demangled = demangle(at->first);
    at->second = {writer.intern(at->first), writer.intern(demangled),
                  writer.intern(short_kernel_name(demangled))};
  }
  return at->second;
}

ActivityTranslator::ApiName& ActivityTranslator::api_name(const CUpti_ActivityAPI& r) {
  const auto [at, added] = api_names_.try_emplace({static_cast<int>(r.kind), r.cbid});
  if (added) {
    const bool runtime = r.kind == CUPTI_ACTIVITY_KIND_RUNTIME;
    at->second.text =
        name_of_(runtime ? CUPTI_CB_DOMAIN_RUNTIME_API : CUPTI_CB_DOMAIN_DRIVER_API, r.cbid);
    at->second.is_work = is_work_call(at->second.text);
  }
  return at->second;
}

}  // namespace mansard
