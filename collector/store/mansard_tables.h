// SPDX-License-Identifier: Apache-2.0
// Records that Nsight Systems has no tables for, each with its table, whose name begins with
// MANSARD_; see device_tables.h.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "collector/store/device_tables.h"
#include "kernels/annotation/training_annotation.h"
#include "kernels/annotation/work_annotation.h"

namespace mansard::store {

struct StateRow {
  std::string_view state;
  std::int64_t pid = 0;
  std::int64_t process_start_ticks = 0;
  std::string_view process_scope;
  std::int64_t heartbeat_utc_ns = 0;
};

template <std::same_as<StateRow> R>
constexpr auto declare_table(std::type_identity<R>) {
  return make_table<R>(
      "MANSARD_STATE",
      "One row: the state of the file. Process start time (clock ticks since boot) and scope "
      "(boot\n"
      "id and process namespace) make the pid unambiguous; the heartbeat is for readers on "
      "another\n"
      "machine, which cannot check the process.",
      column("state", &R::state)
          .of_type(SqlType::text,
                   "NOT NULL CHECK (state IN ('recording', 'complete', 'interrupted'))"),
      column("pid", &R::pid), column("processStartTime", &R::process_start_ticks),
      column("processScope", &R::process_scope), column("heartbeatUtcNs", &R::heartbeat_utc_ns));
}

struct SessionValueRow {
  std::string_view name;
  std::string_view value;
};

template <std::same_as<SessionValueRow> R>
constexpr auto declare_table(std::type_identity<R>) {
  return make_table<R>("MANSARD_SESSION",
                       "The command, the machine and the version that recorded the profile.",
                       column("name", &R::name).of_type(SqlType::text, "NOT NULL PRIMARY KEY"),
                       column("value", &R::value));
}

// A recorded time window; see `mansard profile --delay` and related options.
struct RecordedWindow {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = -1;  // -1: to the end of recording
  std::int64_t number = 0;   // from 1
};

template <std::same_as<RecordedWindow> R>
constexpr auto declare_table(std::type_identity<R>) {
  return make_table<R>(
      "MANSARD_WINDOW",
      "Recorded time windows, if not everything was recorded: ns since the session's start; end\n"
      "NULL: to the end of recording.",
      column("start", &R::start_ns, ColumnKind::time),
      column("end", &R::end_ns, ColumnKind::time).optional(), column("rowid", &R::number));
}

// A work annotation in the text of an NVTX range (kernels/annotation/work_annotation.h).
struct WorkRow {
  std::int64_t event = 0;  // NvtxRecord::row_id
  kernels::WorkAnnotation work;
};

// A column of a member of an annotation that a row contains. Unknown values, empty texts and NaN
// are NULL.
template <class Row, class Annotation, class Value>
constexpr auto annotation_column(std::string_view name, Annotation Row::*annotation,
                                 Value Annotation::*member, std::string_view constraint = "") {
  const auto get = [annotation, member](const Row& row) {
    const Value& value = row.*annotation.*member;
    if constexpr (std::is_same_v<Value, std::string>) {
      return value.empty() ? std::nullopt : std::optional(std::string_view(value));
    } else {
      return std::optional(value);
    }
  };
  using Stored = typename std::invoke_result_t<decltype(get), const Row&>::value_type;
  return computed<Row>(name, get,
                       [annotation, member](Row& row, const auto& cell) {
                         if constexpr (std::is_same_v<Value, std::optional<Stored>>) {
                           from_sql((row.*annotation.*member).emplace(), cell);
                         } else {
                           from_sql(row.*annotation.*member, cell);
                         }
                       })
      .of_type(sql_type_of<Stored>(), constraint);
}

template <class Row, class Annotation>
constexpr auto precision_column(std::string_view name, Annotation Row::*annotation,
                                std::optional<Precision> Annotation::*member) {
  return computed<Row>(
      name,
      [annotation, member](const Row& row) {
        const std::optional<Precision>& precision = row.*annotation.*member;
        return precision ? std::optional(std::string_view(info(*precision).key)) : std::nullopt;
      },
      [annotation, member](Row& row, const auto& cell) {
        row.*annotation.*member = parse_precision(cell.text_view());
      });
}

constexpr auto event_column(auto member) {
  return column("eventId", member)
      .of_type(SqlType::integer, "NOT NULL PRIMARY KEY")
      .of_kind(ColumnKind::event);
}

template <std::same_as<WorkRow> R>
constexpr auto declare_table(std::type_identity<R>) {
  return make_table<R>(
      "MANSARD_WORK",
      "Work of NVTX ranges (kernels/annotation/work_annotation.h): stated in their texts or, if\n"
      "modeled is 1, computed from the shapes of a call. eventId is the rowid of NVTX_EVENTS.",
      event_column(&R::event),
      annotation_column("name", &R::work, &kernels::WorkAnnotation::name, "NOT NULL"),
      annotation_column("flop", &R::work, &kernels::WorkAnnotation::flop, "NOT NULL"),
      precision_column("precision", &R::work, &kernels::WorkAnnotation::precision),
      annotation_column("class", &R::work, &kernels::WorkAnnotation::operation_class),
      annotation_column("shape", &R::work, &kernels::WorkAnnotation::shape),
      annotation_column("unknownKeys", &R::work, &kernels::WorkAnnotation::unknown_keys,
                        "NOT NULL"),
      computed<R>(
          "modeled",
          [](const R& row) { return row.work.modeled ? std::optional(1) : std::nullopt; },
          [](R& row, const auto& cell) { row.work.modeled = cell.integer() != 0; }),
      computed<R>(
          "causalFlop",
          [](const R& row) {
            return row.work.causal_flop > 0 ? std::optional(row.work.causal_flop) : std::nullopt;
          },
          [](R& row, const auto& cell) { row.work.causal_flop = cell.real(); }));
}

struct WorkBytesRow {
  std::int64_t event = 0;
  std::string_view level;  // memory_level.h; until the next row is read
  double bytes = 0;
};

template <std::same_as<WorkBytesRow> R>
constexpr auto declare_table(std::type_identity<R>) {
  return make_table<R>("MANSARD_WORK_BYTES", "Bytes of a work annotation by memory tier.",
                       column("eventId", &R::event, ColumnKind::event), column("level", &R::level),
                       column("bytes", &R::bytes));
}

// How well the operand of a GEMM represents its source, in the text of a mark
// (kernels/annotation/training_annotation.h).
struct TensorNumericsRow {
  std::int64_t event = 0;  // NvtxRecord::row_id
  kernels::TensorNumerics numerics;
  StringId layer = 0;  // in the table only: numerics.layer has the text
};

// NULL stands for a number that is not finite.
inline void clear_computed(TensorNumericsRow& row) {
  row = {};
  row.numerics.amax = row.numerics.rms = std::numeric_limits<double>::quiet_NaN();
}

constexpr auto share_column(std::string_view name, std::size_t index) {
  return computed<TensorNumericsRow>(
             name,
             [index](const TensorNumericsRow& row) {
               const auto& shares = row.numerics.shares;
               return shares ? std::optional((*shares)[index]) : std::nullopt;
             },
             [index](TensorNumericsRow& row, const auto& cell) {
               auto& shares = row.numerics.shares;
               if (!shares) shares.emplace();
               (*shares)[index] = cell.real();
             })
      .of_type(SqlType::real);
}

template <std::same_as<TensorNumericsRow> R>
constexpr auto declare_table(std::type_identity<R>) {
  using Numerics = kernels::TensorNumerics;
  return make_table<R>(
      "MANSARD_TENSOR_NUMERICS",
      "How well quantized tensors represent their sources, by training step, layer, tensor (x, W, "
      "dy)\nand the GEMM that reads it: stated in the texts of NVTX marks\n"
      "(kernels/annotation/training_annotation.h). format NULL: several; amax and rms NULL: not "
      "finite;\nunderflow, saturated (fractions) and snrDb NULL: not known; e4m3, e5m2 and bf16 "
      "are "
      "the shares of\nthe blocks in these formats, if a recipe chooses among them.",
      event_column(&R::event), annotation_column("step", &R::numerics, &Numerics::step, "NOT NULL"),
      string_column("layerId", &R::layer),
      annotation_column("tensor", &R::numerics, &Numerics::tensor, "NOT NULL"),
      annotation_column("gemm", &R::numerics, &Numerics::gemm, "NOT NULL"),
      precision_column("format", &R::numerics, &Numerics::format),
      annotation_column("elements", &R::numerics, &Numerics::elements, "NOT NULL"),
      annotation_column("amax", &R::numerics, &Numerics::amax),
      annotation_column("rms", &R::numerics, &Numerics::rms),
      annotation_column("underflow", &R::numerics, &Numerics::underflow),
      annotation_column("saturated", &R::numerics, &Numerics::saturated),
      annotation_column("snrDb", &R::numerics, &Numerics::snr_db), share_column("e4m3", 0),
      share_column("e5m2", 1), share_column("bf16", 2));
}

// A step of a training run, in the text of a mark (kernels/annotation/training_annotation.h).
struct TrainingStepRow {
  std::int64_t event = 0;  // NvtxRecord::row_id
  kernels::TrainingProgress step;
};

// NULL stands for a number that is not finite.
inline void clear_computed(TrainingStepRow& row) {
  constexpr double kNotFinite = std::numeric_limits<double>::quiet_NaN();
  row = {0, {0, 0, kNotFinite, std::nullopt, kNotFinite, kNotFinite}};
}

template <std::same_as<TrainingStepRow> R>
constexpr auto declare_table(std::type_identity<R>) {
  using Step = kernels::TrainingProgress;
  return make_table<R>(
      "MANSARD_TRAINING_STEP",
      "Steps of a training run, stated in the texts of NVTX marks\n"
      "(kernels/annotation/training_annotation.h). tokens: trained on so far. A loss, learning "
      "rate\nor norm of NULL is not finite; validationLoss NULL: not measured in this step.",
      event_column(&R::event), annotation_column("step", &R::step, &Step::step, "NOT NULL"),
      annotation_column("tokens", &R::step, &Step::tokens, "NOT NULL"),
      annotation_column("loss", &R::step, &Step::loss),
      annotation_column("validationLoss", &R::step, &Step::validation_loss),
      annotation_column("learningRate", &R::step, &Step::learning_rate),
      annotation_column("gradientNorm", &R::step, &Step::gradient_norm));
}

// A time in which the collector stopped the program's launches to set up or read hardware counters.
struct PauseRecord {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
};

template <std::same_as<PauseRecord> R>
constexpr auto declare_table(std::type_identity<R>) {
  return make_table<R>(
      "MANSARD_PAUSE",
      "Times in which launches of the program waited while hardware counters were set up or read:\n"
      "the times of steps that contain one are not those of an undisturbed run.",
      column("start", &R::start_ns, ColumnKind::time), column("end", &R::end_ns, ColumnKind::time));
}

// Hardware counters of a kernel, or of a whole CUDA graph. They are read in one launch or, if they
// take several passes, in as many launches of the same kernel; start and correlation are those of
// the first.
struct CounterReading {
  std::int64_t id = 0;  // 0 when it is written: the next one
  std::int64_t start_ns = 0;
  std::int32_t device_id = 0;
  std::int64_t correlation_id = 0;
  StringId demangled_name = 0;  // 0 for a graph, which has neither grid nor block
  StringId mangled_name = 0;
  std::array<std::int32_t, 3> grid = {0, 0, 0};
  std::array<std::int32_t, 3> block = {0, 0, 0};
  std::int32_t dynamic_shared_bytes = 0;
  std::int32_t passes = 1;    // how many times the kernel ran for it
  std::int32_t graph_id = 0;  // KernelRecord::graph_id of the graph's nodes; 0: a kernel
  // CounterValueRow: metric and value; NaN if not available.
  std::vector<std::pair<StringId, double>> values;
};

template <std::same_as<CounterReading> R>
constexpr auto declare_table(std::type_identity<R>) {
  return make_table<R>(
      "MANSARD_COUNTER_READING",
      "Hardware counters of a kernel, read while it ran alone, `passes` times (in one launch or "
      "in\n"
      "several; start and correlationId are those of the first): its times in\n"
      "CUPTI_ACTIVITY_KIND_KERNEL, if present, are not those of an undisturbed run. The values "
      "apply\nto all launches with the same name, grid, block and dynamic shared memory. With a "
      "graphId: the\nsums over all nodes of a launch of this graph.",
      column("id", &R::id, ColumnKind::reading).of_type(SqlType::integer, "NOT NULL PRIMARY KEY"),
      column("start", &R::start_ns, ColumnKind::time), device_column(&R::device_id),
      correlation_column(&R::correlation_id), recorded_process("globalPid"),
      string_column("demangledName", &R::demangled_name),
      string_column("mangledName", &R::mangled_name).optional(), column("gridX", &R::grid, 0),
      column("gridY", &R::grid, 1), column("gridZ", &R::grid, 2), column("blockX", &R::block, 0),
      column("blockY", &R::block, 1), column("blockZ", &R::block, 2),
      column("dynamicSharedMemory", &R::dynamic_shared_bytes), column("passes", &R::passes),
      column("graphId", &R::graph_id).optional());
}

struct CounterValueRow {
  std::int64_t reading = 0;
  StringId metric = 0;
  double value = std::numeric_limits<double>::quiet_NaN();  // NULL in the database
};

template <std::same_as<CounterValueRow> R>
constexpr auto declare_table(std::type_identity<R>) {
  return make_table<R>("MANSARD_COUNTER_VALUE",
                       "Metrics by CUPTI and Nsight Compute name; value NULL: not available.",
                       column("readingId", &R::reading, ColumnKind::reading),
                       string_column("metricId", &R::metric),
                       column("value", &R::value).nullable());
}

// The state of a GPU at one time; nullopt: not available.
struct DeviceStateSample {
  std::int64_t timestamp_ns = 0;
  std::int32_t device_id = 0;
  std::optional<double> sm_clock_hz;
  std::optional<double> memory_clock_hz;
  std::optional<double> power_w;
  bool power_is_instant = false;  // otherwise NVML's average, on most GPUs over the last second
  std::optional<double> temperature_c;
  std::optional<std::uint64_t> clocks_event_reasons;  // support/clocks_event_reasons.h
  // Fraction of NVML's own sample period (up to 1 s) in which a kernel ran, and in which device
  // memory was read or written.
  std::optional<double> gpu_utilization;
  std::optional<double> memory_utilization;
  std::optional<std::int64_t> memory_used_bytes;  // of all processes, including reserved memory
};

// NVML reports whole units.
constexpr auto nvml_column(std::string_view name, std::optional<double> DeviceStateSample::*member,
                           double unit) {
  return computed<DeviceStateSample>(
      name,
      [member, unit](const DeviceStateSample& s) {
        const std::optional<double>& value = s.*member;
        return value ? std::optional<std::int64_t>(std::llround(*value / unit)) : std::nullopt;
      },
      [member, unit](DeviceStateSample& s, const auto& cell) { s.*member = unit * cell.real(); });
}

template <class Value>
constexpr auto nvml_column(std::string_view name, std::optional<Value> DeviceStateSample::*member) {
  return computed<DeviceStateSample>(
      name, [member](const DeviceStateSample& s) { return s.*member; },
      [member](DeviceStateSample& s, const auto& cell) {
        s.*member = static_cast<Value>(cell.integer());
      });
}

template <std::same_as<DeviceStateSample> R>
constexpr auto declare_table(std::type_identity<R>) {
  return make_table<R>(
      "MANSARD_DEVICE_STATE",
      "State of the GPUs that the program uses, sampled through NVML while recording; NULL: "
      "not\navailable. Power is instantaneous, or NVML's average (on most GPUs over the last "
      "second).\nclocksEventReasons are the bits of nvmlClocksEventReason* in nvml.h. Utilizations "
      "are the\nfractions of NVML's own sample period (up to 1 s) in which a kernel ran, and in "
      "which memory\nwas read or written.",
      column("timestamp", &R::timestamp_ns, ColumnKind::time), device_column(&R::device_id),
      nvml_column("smClockMHz", &R::sm_clock_hz, 1e6),
      nvml_column("memoryClockMHz", &R::memory_clock_hz, 1e6),
      nvml_column("powerMilliwatts", &R::power_w, 1e-3),
      computed<R>(
          "powerIsInstant",
          [](const R& s) { return s.power_w ? std::optional(s.power_is_instant) : std::nullopt; },
          [](R& s, const auto& cell) { s.power_is_instant = cell.integer() != 0; }),
      nvml_column("temperatureCelsius", &R::temperature_c, 1),
      nvml_column("clocksEventReasons", &R::clocks_event_reasons),
      nvml_column("gpuUtilizationPercent", &R::gpu_utilization, 0.01),
      nvml_column("memoryUtilizationPercent", &R::memory_utilization, 0.01),
      nvml_column("memoryUsedBytes", &R::memory_used_bytes));
}

// Counters of a whole GPU over the sampling period that ends at end_ns.
struct GpuMetricSample {
  std::int64_t end_ns = 0;
  std::int32_t device_id = 0;
  std::vector<std::pair<StringId, double>> values;  // by Nsight Compute metric name, in its unit
};

struct GpuMetricRow {
  std::int64_t timestamp_ns = 0;
  std::int32_t device_id = 0;
  StringId metric = 0;
  double value = 0;
};

template <std::same_as<GpuMetricRow> R>
constexpr auto declare_table(std::type_identity<R>) {
  return make_table<R>("MANSARD_GPU_METRIC",
                       "Counters of a whole GPU, sampled at a fixed rate: for each sample the "
                       "value of each metric, by\nNsight Compute name (StringIds), over the period "
                       "that ends at timestamp. The rows of a sample\nhave the same timestamp.",
                       column("timestamp", &R::timestamp_ns, ColumnKind::time),
                       device_column(&R::device_id), string_column("metricId", &R::metric),
                       column("value", &R::value).nullable());
}

// Elements that a collective communication moved.
struct CollectiveRecord {
  std::int64_t start_ns = 0;
  std::int32_t device_id = 0;
  std::int64_t correlation_id = 0;  // of its kernel
  std::string name;                 // "allreduce"
  std::string element_type;         // PyTorch's name: "BFloat16"
  std::int64_t in_elements = 0;     // of this rank
  std::int64_t out_elements = 0;
  std::int64_t element_bytes = 0;  // 0: unknown
  std::int32_t group_size = 0;     // participating ranks; 0: unknown
  std::string group_name = {};
  std::string group_ranks = {};  // "[0, 1, 2, 3]"
};

template <std::same_as<CollectiveRecord> R>
constexpr auto declare_table(std::type_identity<R>) {
  return make_table<R>(
      "MANSARD_COLLECTIVE",
      "Elements moved by collective communication, in profiles imported from PyTorch's "
      "profiler;\nelementBytes and groupSize NULL: unknown.",
      column("start", &R::start_ns, ColumnKind::time), device_column(&R::device_id),
      correlation_column(&R::correlation_id).optional(), recorded_process("globalPid"),
      column("name", &R::name), column("elementType", &R::element_type).optional(),
      column("inElements", &R::in_elements), column("outElements", &R::out_elements),
      column("elementBytes", &R::element_bytes).optional(),
      column("groupSize", &R::group_size).optional(),
      column("groupName", &R::group_name).optional(),
      column("groupRanks", &R::group_ranks).optional());
}

}  // namespace mansard::store
