// SPDX-License-Identifier: Apache-2.0
// One row of each table of the store, in memory. Field names and meanings are those of Nsight
// Systems' SQLite export; times are nanoseconds since the session's start. Strings are ids into
// StringIds (StringId 0 is never used: it means "none").
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace mansard::store {

using StringId = std::int64_t;

// False for a record that lost its time stamps: CUPTI then gives zeros.
constexpr bool has_times(std::int64_t start_ns, std::int64_t end_ns) {
  return end_ns > 0 && end_ns >= start_ns;
}

struct KernelRecord {  // CUPTI_ACTIVITY_KIND_KERNEL
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::int32_t device_id = 0;
  std::int32_t context_id = 0;
  std::int32_t stream_id = 0;
  std::int64_t correlation_id = 0;
  StringId demangled_name = 0;
  StringId short_name = 0;
  StringId mangled_name = 0;
  std::array<std::int32_t, 3> grid = {0, 0, 0};
  std::array<std::int32_t, 3> block = {0, 0, 0};
  std::array<std::int32_t, 3> cluster = {0, 0, 0};
  std::int32_t registers_per_thread = 0;
  std::int32_t static_shared_bytes = 0;
  std::int32_t dynamic_shared_bytes = 0;
  std::int32_t local_bytes_per_thread = 0;
  std::int64_t local_bytes_total = 0;
  std::int64_t grid_id = 0;
  std::int64_t graph_node_id = 0;
  std::int32_t graph_id = 0;
  std::int32_t launch_type = 0;
};

// Counters of one launch of a kernel, which were read in it: MANSARD_COUNTER_READING.
struct CounterReading {
  std::int64_t start_ns = 0;
  std::int32_t device_id = 0;
  std::int64_t correlation_id = 0;
  StringId demangled_name = 0;
  StringId mangled_name = 0;
  std::array<std::int32_t, 3> grid = {0, 0, 0};
  std::array<std::int32_t, 3> block = {0, 0, 0};
  std::int32_t dynamic_shared_bytes = 0;
  std::int32_t passes = 1;  // how often the kernel ran for it
  // MANSARD_COUNTER_VALUE: metric and value; NaN where the GPU gave none.
  std::vector<std::pair<StringId, double>> values;
};

struct MemcpyRecord {  // CUPTI_ACTIVITY_KIND_MEMCPY
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::int32_t device_id = 0;
  std::int32_t context_id = 0;
  std::int32_t stream_id = 0;
  std::int64_t correlation_id = 0;
  std::int64_t bytes = 0;
  std::int32_t copy_kind = 0;  // ENUM_CUDA_MEMCPY_OPER
  std::int32_t src_kind = 0;   // ENUM_CUDA_MEM_KIND
  std::int32_t dst_kind = 0;
  std::int64_t graph_node_id = 0;
};

struct MemsetRecord {  // CUPTI_ACTIVITY_KIND_MEMSET
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::int32_t device_id = 0;
  std::int32_t context_id = 0;
  std::int32_t stream_id = 0;
  std::int64_t correlation_id = 0;
  std::int64_t value = 0;
  std::int64_t bytes = 0;
  std::int32_t mem_kind = 0;
  std::int64_t graph_node_id = 0;
};

struct ApiRecord {  // CUPTI_ACTIVITY_KIND_RUNTIME
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::int64_t global_tid = 0;  // pid << 24 | tid
  std::int64_t correlation_id = 0;
  StringId name = 0;
  std::int32_t event_class = 0;  // 0: runtime API, 1: driver API, as Nsight Systems numbers them
  std::int32_t return_value = 0;
};

enum class NvtxEventType : std::int32_t {
  category = 33,
  mark = 34,
  push_pop = 59,
  start_end = 60,
  domain_create = 75,
  domain_destroy = 76,
};

// A structured payload of an event, as the text of a JSON object (Profile::string).
struct NvtxJson {
  StringId id = 0;
  bool operator==(const NvtxJson&) const = default;
};

// A number attached to an event, in the column of its type, or a structure; monostate: none.
using NvtxPayload = std::variant<std::monostate, std::uint64_t, std::int64_t, double, std::uint32_t,
                                 std::int32_t, float, NvtxJson>;

struct NvtxRecord {  // NVTX_EVENTS
  std::int64_t row_id = 0;
  std::int64_t start_ns = 0;
  std::int64_t end_ns = -1;  // -1: a mark, or a range still open when recording ended
  std::int64_t range_id = 0;
  std::int64_t domain_id = 0;
  std::int64_t color = -1;  // -1: none
  std::int64_t global_tid = 0;
  std::int64_t end_global_tid = 0;
  StringId text_id = 0;  // registered string; of a profile that was read, any string
  std::string text;      // any other string, to be written
  NvtxPayload payload;
  std::string json;  // a structured payload, to be written
  NvtxEventType type = NvtxEventType::push_pop;
  std::int32_t category = 0;
  // It was open already when recording began, which is its start here (jsonText in the database).
  // Its work annotation is not kept, as not all of the work was recorded.
  bool began_earlier = false;
};

struct GpuRecord {  // TARGET_INFO_GPU
  std::int32_t id = 0;
  std::string name;
  std::string uuid;
  std::string bus_location;
  std::int64_t total_memory_bytes = 0;
  std::int64_t l2_bytes = 0;
  std::int64_t clock_rate_hz = 0;
  std::int64_t memory_bandwidth_bytes_per_s = 0;
  std::int32_t sm_count = 0;
  std::int32_t compute_major = 0;
  std::int32_t compute_minor = 0;
};

// The state of a GPU at one time. None: the driver or the GPU does not tell.
struct DeviceStateSample {  // MANSARD_DEVICE_STATE
  std::int64_t timestamp_ns = 0;
  std::int32_t device_id = 0;
  std::optional<double> sm_clock_hz;
  std::optional<double> memory_clock_hz;
  std::optional<double> power_w;
  bool power_is_instant = false;  // otherwise NVML's mean, on most GPUs of the last second
  std::optional<double> temperature_c;
  std::optional<std::uint64_t> clocks_event_reasons;  // store/clocks_event_reasons.h
  // Share of NVML's own sample period, of up to a second, in which a kernel ran, and in which
  // device memory was read or written.
  std::optional<double> gpu_utilization;
  std::optional<double> memory_utilization;
  std::optional<std::int64_t> memory_used_bytes;  // by all processes, and reserved
};

// Counters of a whole GPU, sampled at a fixed rate.
struct GpuMetricSample {    // MANSARD_GPU_METRIC
  std::int64_t end_ns = 0;  // it covers the sampling period before
  std::int32_t device_id = 0;
  std::vector<std::pair<StringId, double>>
      values;  // by metric, in Nsight Compute's names and units
};

// What a collective communication moved, where the recorded tool tells.
struct CollectiveRecord {  // MANSARD_COLLECTIVE
  std::int64_t start_ns = 0;
  std::int32_t device_id = 0;
  std::int64_t correlation_id = 0;  // of its kernel
  std::string name;                 // "allreduce"
  std::string element_type;         // PyTorch's name: "BFloat16"
  std::int64_t in_elements = 0;     // of this rank
  std::int64_t out_elements = 0;
  std::int64_t element_bytes = 0;  // 0: not known
  std::int32_t group_size = 0;     // ranks that take part; 0: not known
  std::string group_name = {};
  std::string group_ranks = {};  // "[0, 1, 2, 3]"
};

enum class Severity : std::int32_t { info = 1, warning = 2, error = 3 };

struct DiagnosticRecord {  // DIAGNOSTIC_EVENT
  std::int64_t timestamp_ns = 0;
  Severity severity = Severity::info;
  std::string text;
};

}  // namespace mansard::store
