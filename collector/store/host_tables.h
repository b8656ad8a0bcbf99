// SPDX-License-Identifier: Apache-2.0
// Records of the host, each with its table; see device_tables.h.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "collector/store/device_tables.h"
#include "collector/store/schema.h"

namespace mansard::store {

struct ApiRecord {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::int64_t global_tid = 0;  // global_ids.h
  std::int64_t correlation_id = 0;
  StringId name = 0;
  std::int32_t event_class = 0;  // 0: runtime API, 1: driver API, with Nsight Systems' numbers
  std::int32_t return_value = 0;
};

template <>
inline constexpr auto packed_members<ApiRecord> = std::tuple(&ApiRecord::start_ns,
                                                             &ApiRecord::end_ns,
                                                             &ApiRecord::correlation_id);

template <std::same_as<ApiRecord> R>
constexpr auto declare_table(std::type_identity<R>) {
  return make_table<R>("CUPTI_ACTIVITY_KIND_RUNTIME", "", time_column("start", &R::start_ns),
                       time_column("end", &R::end_ns), column("eventClass", &R::event_class),
                       column("globalTid", &R::global_tid, ColumnKind::process).nullable(),
                       correlation_column(&R::correlation_id), string_column("nameId", &R::name),
                       column("returnValue", &R::return_value), unused("callchainId"));
}

enum class OverheadType : std::int32_t {  // ENUM_CUPTI_OVERHEAD_TYPE
  undefined = 0,
  unknown = 1,
  driver_compiler = 2,
  buffer_flush = 3,
  instrumentation = 4,
  resource = 5,
  module_loading = 6,
  lazy_function_loading = 7,
  command_buffer_full = 8,
  buffer_request = 9,  // this and the next are CUPTI 13.0's, and not in Nsight's schema 3.25.0
  managed_memory_tracing = 10,
};

// Whether the profiler causes this overhead; the others also occur without a profiler.
constexpr bool is_profilers_own(OverheadType type) {
  return (type >= OverheadType::buffer_flush && type <= OverheadType::resource) ||
         type == OverheadType::buffer_request || type == OverheadType::managed_memory_tracing;
}

struct OverheadRecord {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::int64_t global_tid = 0;      // thread part 0: unknown thread of the process
  std::int64_t correlation_id = 0;  // of the API call that contains it; 0: none
  StringId name = 0;
  OverheadType type = OverheadType::undefined;
};

template <std::same_as<OverheadRecord> R>
constexpr auto declare_table(std::type_identity<R>) {
  return make_table<R>(
      "CUPTI_ACTIVITY_KIND_OVERHEAD", "", time_column("start", &R::start_ns),
      time_column("end", &R::end_ns),
      constant("eventClass",
               0),  // that of the runtime API: ENUM_NSYS_EVENT_CLASS has no class for overheads
      column("globalTid", &R::global_tid, ColumnKind::process).nullable().or_recorded_process(),
      correlation_column(&R::correlation_id).optional().without_process(),
      string_column("nameId", &R::name).optional(), column("overheadType", &R::type));
}

// The creation of a node of a CUDA graph. A node that was cloned, as for an executable graph, has
// two records: of its creation, without the original, and of its cloning.
struct GraphNodeRecord {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::int64_t global_tid = 0;
  StringId name = 0;
  std::int64_t graph_node_id = 0;           // KernelRecord::graph_node_id, unique in a process
  std::int64_t original_graph_node_id = 0;  // that it was cloned from; 0: none
};

template <std::same_as<GraphNodeRecord> R>
constexpr auto declare_table(std::type_identity<R>) {
  return make_table<R>("CUDA_GRAPH_NODE_EVENTS", "", time_column("start", &R::start_ns),
                       time_column("end", &R::end_ns),
                       constant("eventClass", 1),  // the driver API's
                       column("globalTid", &R::global_tid, ColumnKind::process).nullable(),
                       string_column("nameId", &R::name), column("graphNodeId", &R::graph_node_id),
                       column("originalGraphNodeId", &R::original_graph_node_id).optional());
}

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

// A number attached to an event, stored in the column of its type, or a structure; monostate: none.
using NvtxPayload = std::variant<std::monostate, std::uint64_t, std::int64_t, double, std::uint32_t,
                                 std::int32_t, float, NvtxJson>;

struct NvtxRecord {
  std::int64_t row_id = 0;
  std::int64_t start_ns = 0;
  std::int64_t end_ns = -1;  // -1: a mark, or a range still open when recording ended
  std::int64_t range_id = 0;
  std::int64_t domain_id = 0;
  std::int64_t color = -1;  // -1: none
  std::int64_t global_tid = 0;
  std::int64_t end_global_tid = 0;
  StringId text_id = 0;  // registered string; in a loaded profile, any string
  std::string text;      // any other string, to be written
  NvtxPayload payload;
  std::string json;  // a structured payload, to be written
  NvtxEventType type = NvtxEventType::push_pop;
  std::int32_t category = 0;
  // The range was already open when recording started, so its start is clipped (jsonText in the
  // database). Its work annotation is dropped, as not all of the work was recorded.
  bool began_earlier = false;
};

// Resets the members that are set only by columns that are not NULL. Faster than a new record, and
// keeps the memory of the text.
inline void clear_computed(NvtxRecord& record) {
  if (record.payload.index() != 0) record.payload = NvtxPayload();
  record.json.clear();
  record.began_earlier = false;
}

// Column jsonText. With a structured payload, the members of the payload follow kBeganEarlier in
// the same object.
inline std::optional<std::string> nvtx_json(std::string_view payload, bool began_earlier) {
  if (!began_earlier) return payload.empty() ? std::nullopt : std::optional(std::string(payload));
  if (payload.size() <= 2) return std::string(kBeganEarlier);
  std::string text(kBeganEarlier.substr(0, kBeganEarlier.size() - 1));
  return text.append(",").append(payload.substr(1));
}

template <class Value>
constexpr auto payload_column(std::string_view name) {
  return computed<NvtxRecord>(
      name,
      [](const NvtxRecord& n) {
        const Value* value = std::get_if<Value>(&n.payload);
        return value != nullptr ? std::optional(*value) : std::nullopt;
      },
      [](NvtxRecord& n, const auto& cell) {
        if (n.payload.index() != 0) return;
        Value value{};
        from_sql(value, cell);
        n.payload = value;
      });
}

template <>
inline constexpr auto packed_members<NvtxRecord> =
    std::tuple(&NvtxRecord::start_ns, &NvtxRecord::end_ns, &NvtxRecord::row_id,
               &NvtxRecord::range_id, &NvtxRecord::text_id, &NvtxRecord::payload);

template <std::same_as<NvtxRecord> R>
constexpr auto declare_table(std::type_identity<R>) {
  return make_table<R>(
      "NVTX_EVENTS", "", time_column("start", &R::start_ns),
      time_column("end", &R::end_ns).optional(), column("rowid", &R::row_id),
      column("eventType", &R::type), column("rangeId", &R::range_id).optional(),
      column("category", &R::category).optional(), column("color", &R::color).optional(),
      column("text", &R::text).optional(),
      column("globalTid", &R::global_tid, ColumnKind::process).nullable(),
      column("endGlobalTid", &R::end_global_tid, ColumnKind::process).optional(),
      string_column("textId", &R::text_id).optional(),
      column("domainId", &R::domain_id, ColumnKind::domain).nullable(),
      payload_column<std::uint64_t>("uint64Value"), payload_column<std::int64_t>("int64Value"),
      payload_column<double>("doubleValue"), payload_column<std::uint32_t>("uint32Value"),
      payload_column<std::int32_t>("int32Value"), payload_column<float>("floatValue"),
      computed<R>(
          "jsonTextId",
          [](const R& n) {
            const NvtxJson* json = std::get_if<NvtxJson>(&n.payload);
            return json != nullptr && json->id != 0 ? std::optional(json->id) : std::nullopt;
          },
          [](R& n, const auto& cell) {
            if (cell.integer() != 0) n.payload = NvtxJson{cell.integer()};
          })
          .of_kind(ColumnKind::string),
      computed<R>(
          "jsonText", [](const R& n) { return nvtx_json(n.json, n.began_earlier); },
          [](R& n, const auto& cell) {
            const std::string_view text = cell.text_view();
            n.began_earlier = text.starts_with(kBeganEarlier.substr(0, kBeganEarlier.size() - 1));
            if (text != kBeganEarlier) n.json = text;
          }),
      unused("binaryData", SqlType::text), in_memory(&R::payload), in_memory(&R::began_earlier));
}

enum class Severity : std::int32_t { info = 1, warning = 2, error = 3 };

struct DiagnosticRecord {
  std::int64_t timestamp_ns = 0;
  Severity severity = Severity::info;
  std::string text;
};

template <std::same_as<DiagnosticRecord> R>
constexpr auto declare_table(std::type_identity<R>) {
  return make_table<R>(
      "DIAGNOSTIC_EVENT", "", column("timestamp", &R::timestamp_ns, ColumnKind::time),
      constant("timestampType", 1),  // ENUM_DIAGNOSTIC_TIMESTAMP_SOURCE: the target's
      constant("source", 1),         // ENUM_DIAGNOSTIC_SOURCE_TYPE: the injected library
      column("severity", &R::severity), column("text", &R::text), recorded_process("globalPid"));
}

struct StringRow {
  StringId id = 0;
  std::string_view value;  // until the next row is read
};

template <std::same_as<StringRow> R>
constexpr auto declare_table(std::type_identity<R>) {
  return make_table<R>("StringIds", "",
                       column("id", &R::id).of_type(SqlType::integer, "NOT NULL PRIMARY KEY"),
                       column("value", &R::value));
}

struct ThreadNameRow {
  StringId name = 0;
  std::int64_t priority =
      0;  // if a thread has several names, Nsight Systems shows the one with the highest priority
  std::int64_t global_tid = 0;
};

template <std::same_as<ThreadNameRow> R>
constexpr auto declare_table(std::type_identity<R>) {
  return make_table<R>("ThreadNames", "", string_column("nameId", &R::name),
                       column("priority", &R::priority).nullable(),
                       column("globalTid", &R::global_tid, ColumnKind::process).nullable());
}

struct ProcessRow {
  std::int64_t global_pid = 0;
  std::int64_t pid = 0;
  std::string_view name;  // until the next row is read
};

template <std::same_as<ProcessRow> R>
constexpr auto declare_table(std::type_identity<R>) {
  return make_table<R>("PROCESSES", "",
                       column("globalPid", &R::global_pid, ColumnKind::process).nullable(),
                       column("pid", &R::pid).nullable(), column("name", &R::name).nullable());
}

// Session start time on three clocks.
struct SessionStartRow {
  std::int64_t utc_ns = 0;
  std::string utc;
  std::string local;
  std::int64_t system_clock_ns = 0;  // CLOCK_MONOTONIC
};

template <std::same_as<SessionStartRow> R>
constexpr auto declare_table(std::type_identity<R>) {
  return make_table<R>(
      "TARGET_INFO_SESSION_START_TIME", "", column("utcEpochNs", &R::utc_ns).nullable(),
      column("utcTime", &R::utc).nullable(), column("localTime", &R::local).nullable(),
      column("systemClockNs", &R::system_clock_ns).nullable());
}

struct ExportRow {
  std::string_view name;
  std::string_view value;
};

template <std::same_as<ExportRow> R>
constexpr auto declare_table(std::type_identity<R>) {
  return make_table<R>("META_DATA_EXPORT", "", column("name", &R::name),
                       column("value", &R::value).nullable());
}

}  // namespace mansard::store
