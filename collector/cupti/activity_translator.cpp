// SPDX-License-Identifier: Apache-2.0
#include "collector/cupti/activity_translator.h"

#include <algorithm>
#include <array>
#include <climits>
#include <cstdlib>
#include <utility>

#include "collector/cupti/nsight_numbers.h"
#include "collector/store/global_ids.h"
#include "collector/store/kernel_name.h"

namespace mansard::collector {

// The record layouts of CUPTI 13.0. A header with other layouts needs a manual review.
static_assert(sizeof(CUpti_ActivityKernel10) == 216);
static_assert(sizeof(CUpti_ActivityMemcpy6) == 96);
static_assert(sizeof(CUpti_ActivityMemcpyPtoP4) == 96);
static_assert(sizeof(CUpti_ActivityMemset4) == 88);
static_assert(sizeof(CUpti_ActivityAPI) == 40);
static_assert(sizeof(CUpti_ActivityDevice5) == 184);
static_assert(sizeof(CUpti_ActivityContext3) == 32);
static_assert(sizeof(CUpti_ActivityStream) == 24);
static_assert(sizeof(CUpti_ActivityGraphTrace2) == 56);
static_assert(sizeof(CUpti_ActivitySynchronization2) == 56);
static_assert(sizeof(CUpti_ActivityOverhead3) == 56);
static_assert(sizeof(CUpti_ActivityMemory4) == 128);
static_assert(sizeof(CUpti_ActivityMemoryPool3) == 80);

namespace {

template <class Record>
const Record& as(const CUpti_Activity& record) {
  return reinterpret_cast<const Record&>(record);
}

}  // namespace

ActivityTranslator::ActivityTranslator(std::int64_t session_start_ns, NameOf name_of,
                                       CudaObjects::OnDevice on_device, LaunchObserver* launches,
                                       IsOutside is_outside)
    : session_start_ns_(session_start_ns),
      name_of_(std::move(name_of)),
      launches_(launches),
      is_outside_(std::move(is_outside)),
      objects_(std::move(on_device)) {}

bool ActivityTranslator::is_work(const CUpti_Activity& record) {
  switch (record.kind) {
    case CUPTI_ACTIVITY_KIND_KERNEL:
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
    case CUPTI_ACTIVITY_KIND_MEMCPY:
    case CUPTI_ACTIVITY_KIND_MEMCPY2:
    case CUPTI_ACTIVITY_KIND_MEMSET:
    case CUPTI_ACTIVITY_KIND_GRAPH_TRACE:
      return true;
    case CUPTI_ACTIVITY_KIND_RUNTIME:
    case CUPTI_ACTIVITY_KIND_DRIVER:
      return api_name(as<CUpti_ActivityAPI>(record)).is_work;
    default:
      return false;
  }
}

void ActivityTranslator::translate(const CUpti_Activity& record, store::ProfileWriter& writer) {
  objects_.note(record);
  objects_.write(writer);
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
    case CUPTI_ACTIVITY_KIND_GRAPH_TRACE:
      return graph(as<CUpti_ActivityGraphTrace2>(record), writer);
    case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION:
      return synchronization(as<CUpti_ActivitySynchronization2>(record), writer);
    case CUPTI_ACTIVITY_KIND_OVERHEAD:
      return overhead(as<CUpti_ActivityOverhead3>(record), writer);
    case CUPTI_ACTIVITY_KIND_MEMORY2:
      return memory(as<CUpti_ActivityMemory4>(record), writer);
    case CUPTI_ACTIVITY_KIND_MEMORY_POOL:
      return memory_pool(as<CUpti_ActivityMemoryPool3>(record), writer);
    case CUPTI_ACTIVITY_KIND_RUNTIME:
    case CUPTI_ACTIVITY_KIND_DRIVER:
      return api(as<CUpti_ActivityAPI>(record), writer);
    default:
      return;
  }
}

// Fills in the fields common to all GPU work. Returns false if it is outside of the windows or its
// timestamps are lost.
template <class Record, class Out>
bool ActivityTranslator::common(const Record& r, Out& out) {
  if (is_outside_ && is_outside_(r.correlationId)) return false;
  out.device_id = static_cast<std::int32_t>(r.deviceId);
  out.context_id = static_cast<std::int32_t>(r.contextId);
  out.stream_id = static_cast<std::int32_t>(r.streamId);
  out.correlation_id = r.correlationId;
  out.graph_node_id = static_cast<std::int64_t>(r.graphNodeId);
  objects_.note(r.contextId, r.deviceId);
  return times(r, out);
}

void ActivityTranslator::kernel(const CUpti_ActivityKernel10& r, store::ProfileWriter& writer) {
  store::KernelRecord k;
  const char* mangled = r.name != nullptr ? r.name : "unknown";
  // CUPTI launches it before a range of counters (13.0).
  if (launches_ != nullptr && std::string_view(mangled) == "WaitNs") return;
  if (!common(r, k)) return;
  const KernelNames name = names(mangled, writer);
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
  if (launches_ != nullptr) launches_->kernel_recorded(k, mangled);
}

template <class Copy>
void ActivityTranslator::copy(const Copy& r, store::ProfileWriter& writer) {
  store::MemcpyRecord m;
  if (!common(r, m)) return;
  m.bytes = static_cast<std::int64_t>(r.bytes);
  m.copy_kind = r.copyKind;
  m.src_kind = nsight_memory_kind(r.srcKind);
  m.dst_kind = nsight_memory_kind(r.dstKind);
  writer.add(m);
}

void ActivityTranslator::fill(const CUpti_ActivityMemset4& r, store::ProfileWriter& writer) {
  store::MemsetRecord m;
  if (!common(r, m)) return;
  m.value = r.value;
  m.bytes = static_cast<std::int64_t>(r.bytes);
  m.mem_kind = nsight_memory_kind(r.memoryKind);
  writer.add(m);
}

void ActivityTranslator::graph(const CUpti_ActivityGraphTrace2& r, store::ProfileWriter& writer) {
  store::GraphRecord g;
  if (!times(r, g)) return;
  if (!std::exchange(graph_seen_, true)) {
    writer.add(
        store::DiagnosticRecord{g.start_ns, store::Severity::warning,
                                "CUDA graphs were recorded as a whole, so their kernels are not in "
                                "this profile (--cuda-graph-trace node records them)."});
  }
  // A graph whose first node runs on the host belongs to the device of its last node.
  constexpr std::uint32_t kOnHost = INT_MAX;
  const bool from_host = r.deviceId == kOnHost;
  const std::uint32_t device = from_host ? r.endDeviceId : r.deviceId;
  const std::uint32_t context = from_host ? r.endContextId : r.contextId;
  if (device != kOnHost) g.device_id = static_cast<std::int32_t>(device);
  if (context != kOnHost) g.context_id = static_cast<std::int32_t>(context);
  g.stream_id = static_cast<std::int32_t>(r.streamId);
  g.correlation_id = r.correlationId;
  // The launched object is an executable graph. CUPTI does not report here which graph it was
  // instantiated from.
  g.graph_id = static_cast<std::int32_t>(r.graphId);
  g.graph_exec_id = g.graph_id;
  writer.add(g);
}

void ActivityTranslator::api(const CUpti_ActivityAPI& r, store::ProfileWriter& writer) {
  store::ApiRecord a;
  if (!times(r, a)) return;
  ApiName& name = api_name(r);
  if (name.id == 0) name.id = writer.intern(name.text);
  a.name = name.id;
  a.event_class = r.kind == CUPTI_ACTIVITY_KIND_RUNTIME ? 0 : 1;
  a.global_tid = store::global_tid(r.processId, r.threadId);
  a.correlation_id = r.correlationId;
  a.return_value = static_cast<std::int32_t>(r.returnValue);
  writer.add(a);
}

ActivityTranslator::KernelNames ActivityTranslator::names(const char* mangled,
                                                          store::ProfileWriter& writer) {
  const auto [at, added] = kernel_names_.try_emplace(mangled);
  if (added) {
    const std::string demangled = store::demangle(at->first);
    at->second = {writer.intern(at->first), writer.intern(demangled),
                  writer.intern(store::short_kernel_name(demangled))};
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

// Records of host activity that submits no work: synchronization, allocation and overheads.
namespace {

constexpr CUresult kNotReady = CUDA_ERROR_NOT_READY;

std::string_view name_of(store::OverheadType type) {
  switch (type) {
    case store::OverheadType::driver_compiler:
      return "JIT compilation";
    case store::OverheadType::buffer_flush:
      return "CUPTI buffer flush";
    case store::OverheadType::instrumentation:
      return "CUPTI instrumentation";
    case store::OverheadType::resource:
      return "CUPTI resource creation and destruction";
    case store::OverheadType::module_loading:
      return "Module loading";
    case store::OverheadType::lazy_function_loading:
      return "Lazy function loading";
    case store::OverheadType::command_buffer_full:
      return "Command buffer full";
    case store::OverheadType::buffer_request:
      return "CUPTI buffer request";
    case store::OverheadType::managed_memory_tracing:
      return "CUPTI managed memory tracing";
    case store::OverheadType::undefined:
    case store::OverheadType::unknown:
      break;
  }
  return "Unknown";
}

}  // namespace

void ActivityTranslator::synchronization(const CUpti_ActivitySynchronization2& r,
                                         store::ProfileWriter& writer) {
  if (r.returnValue == kNotReady) return;  // a query (PyTorch makes many), not a wait
  store::SynchronizationRecord s;
  if (!place(r, s)) return;
  s.device_id = objects_.device_of(r.contextId);
  s.context_id = static_cast<std::int32_t>(r.contextId);
  s.stream_id = static_cast<std::int32_t>(r.streamId);
  s.correlation_id = r.correlationId;
  s.sync_type = r.type;
  s.event_id = static_cast<std::int32_t>(r.cudaEventId);
  // The invalid value is 32 bits of ones in a 64-bit field (as in the header), or 64 bits of ones.
  const std::uint64_t sync_id = r.cudaEventSyncId;
  const bool has_sync_id = sync_id != CUPTI_SYNCHRONIZATION_INVALID_VALUE && ~sync_id != 0;
  s.event_sync_id = has_sync_id ? static_cast<std::int64_t>(sync_id) : 0;
  writer.add(s);
}

void ActivityTranslator::overhead(const CUpti_ActivityOverhead3& r, store::ProfileWriter& writer) {
  // The only kind documented to carry additional data, which the reader must free.
  if (r.overheadKind == CUPTI_ACTIVITY_OVERHEAD_COMMAND_BUFFER_FULL) std::free(r.overheadData);
  store::OverheadRecord o;
  if (!place(r, o)) return;
  if (r.objectKind == CUPTI_ACTIVITY_OBJECT_THREAD) {
    o.global_tid = store::global_tid(r.objectId.pt.processId, r.objectId.pt.threadId);
  }
  o.correlation_id = r.correlationId;
  o.type = nsight_overhead_type(r.overheadKind);
  o.name = writer.intern(name_of(o.type));
  writer.add(o);
}

void ActivityTranslator::memory(const CUpti_ActivityMemory4& r, store::ProfileWriter& writer) {
  const int operation = r.memoryOperationType;
  if (r.timestamp == 0) return;
  if (operation != CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION &&
      operation != CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_RELEASE) {
    return;
  }
  store::MemoryRecord m;
  m.start_ns = since_start(r.timestamp);
  m.device_id = static_cast<std::int32_t>(r.deviceId);
  m.context_id = static_cast<std::int32_t>(r.contextId);
  m.stream_id = r.isAsync != 0 ? static_cast<std::int32_t>(r.streamId) : store::kNoId;
  m.correlation_id = r.correlationId;
  m.address = static_cast<std::int64_t>(r.address);
  m.pc = static_cast<std::int64_t>(r.PC);
  m.bytes = static_cast<std::int64_t>(r.bytes);
  m.mem_kind = nsight_memory_kind(r.memoryKind);
  m.operation = operation - 1;  // ENUM_CUDA_DEV_MEM_EVENT_OPER has no "invalid"
  m.name = r.name != nullptr ? r.name : "";
  const auto& pool = r.memoryPoolConfig;
  if (pool.memoryPoolType == CUPTI_ACTIVITY_MEMORY_POOL_TYPE_LOCAL) {
    m.pool = store::PoolType::local;
    m.pool_release_threshold_bytes = static_cast<std::int64_t>(pool.releaseThreshold);
    m.pool_bytes = static_cast<std::int64_t>(pool.pool.size);
    m.pool_utilized_bytes = static_cast<std::int64_t>(pool.utilizedSize);
  } else if (pool.memoryPoolType == CUPTI_ACTIVITY_MEMORY_POOL_TYPE_IMPORTED) {
    m.pool = store::PoolType::imported;
    m.pool_pid = static_cast<std::int64_t>(pool.pool.processId);
  }
  if (m.pool != store::PoolType::none) m.pool_address = static_cast<std::int64_t>(pool.address);
  writer.add(m);
}

void ActivityTranslator::memory_pool(const CUpti_ActivityMemoryPool3& r,
                                     store::ProfileWriter& writer) {
  if (r.timestamp == 0) return;
  store::MemoryPoolRecord m;
  m.start_ns = since_start(r.timestamp);
  m.device_id = static_cast<std::int32_t>(r.deviceId);
  m.correlation_id = r.correlationId;
  m.address = static_cast<std::int64_t>(r.address);
  m.operation = r.memoryPoolOperationType;
  m.pool = static_cast<store::PoolType>(r.memoryPoolType);
  if (r.memoryPoolOperationType == CUPTI_ACTIVITY_MEMORY_POOL_OPERATION_TYPE_TRIMMED) {
    m.min_bytes_to_keep = static_cast<std::int64_t>(r.minBytesToKeep);
  }
  if (m.pool == store::PoolType::local) {
    m.release_threshold_bytes = static_cast<std::int64_t>(r.releaseThreshold);
    m.bytes = static_cast<std::int64_t>(r.size);
    m.utilized_bytes = static_cast<std::int64_t>(r.utilizedSize);
  }
  writer.add(m);
}

namespace {

constexpr std::array<std::string_view, 8> kWork = {"cudaLaunch",      "cudaMemcpy",   "cudaMemset",
                                                   "cudaGraphLaunch", "cuLaunch",     "cuMemcpy",
                                                   "cuMemset",        "cuGraphLaunch"};

// PyTorch makes several of these calls per kernel.
constexpr std::array<std::string_view, 19> kNoise = {"cudaGetLastError",
                                                     "cudaPeekAtLastError",
                                                     "cudaGetError",
                                                     "cudaGetDevice_",
                                                     "cudaGetDeviceCount",
                                                     "cudaGetDeviceFlags",
                                                     "cudaGetDeviceProperties",
                                                     "cudaSetDevice_",
                                                     "cudaDeviceGetAttribute",
                                                     "cudaDeviceGetStreamPriorityRange",
                                                     "cudaPointerGetAttributes",
                                                     "cudaFuncGetAttributes",
                                                     "cudaOccupancy",
                                                     "cudaStreamIsCapturing",
                                                     "cudaStreamGet",
                                                     "cudaStreamQuery",
                                                     "cudaEventQuery",
                                                     "cudaThreadExchangeStreamCaptureMode",
                                                     "cudaGetDriverEntryPoint"};

template <std::size_t N>
bool starts_with_any(std::string_view name, const std::array<std::string_view, N>& prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [name](std::string_view prefix) { return name.starts_with(prefix); });
}

}  // namespace

bool is_work_call(std::string_view name) { return starts_with_any(name, kWork); }

bool is_noise_call(std::string_view name) { return starts_with_any(name, kNoise); }

}  // namespace mansard::collector
