// SPDX-License-Identifier: Apache-2.0
#include "collector/store/profile_writer.h"

#include <cmath>
#include <ctime>
#include <optional>

#include "collector/store/close_database.h"
#include "collector/store/global_ids.h"
#include "collector/store/profile_tables.h"
#include "support/process.h"

namespace mansard::store {
namespace {

constexpr std::int64_t kRowsPerTransaction = 20000;
constexpr std::chrono::seconds kHeartbeatPeriod{10};

// NVML counts in whole units.
std::optional<std::int64_t> in_units(std::optional<double> value, double unit) {
  return value ? std::optional<std::int64_t>(std::llround(*value / unit)) : std::nullopt;
}

std::string format_time(std::int64_t utc_ns, bool local) {
  const std::time_t seconds = utc_ns / 1'000'000'000;
  std::tm parts{};
  local ? localtime_r(&seconds, &parts) : gmtime_r(&seconds, &parts);
  char text[64];
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &parts);
  return text;
}

// Column jsonText.
std::optional<std::string> json_column(const RangeJson& json) {
  if (!json.began_earlier) {
    return json.payload.empty() ? std::nullopt : std::optional(std::string(json.payload));
  }
  if (json.payload.size() <= 2) return std::string(kBeganEarlier);
  std::string text(kBeganEarlier.substr(0, kBeganEarlier.size() - 1));
  return text.append(",").append(json.payload.substr(1));
}

std::int64_t clock_ns(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

}  // namespace

std::int64_t utc_now_ns() { return clock_ns(CLOCK_REALTIME); }

void ProfileWriter::wait_for_locks_while(std::function<bool()> go_on) {
  constexpr int kPatience_ms = 5000;
  tables_->database.set_lock_timeout(kPatience_ms, std::move(go_on));
}

ProfileWriter::ProfileWriter(const std::filesystem::path& file, const SessionInfo& session)
    : file_(file),
      tables_(std::make_unique<Tables>(file)),
      heartbeat_(std::chrono::steady_clock::now()) {
  const RecordingProcess process = this_process();
  pid_ = session.pid != 0 ? session.pid : process.pid;
  begin();
  Database& database = tables_->database;
  TableWriter(database, "MANSARD_STATE",
              {"state", "pid", "processStartTime", "processScope", "heartbeatUtcNs"})
      .insert(to_string(RecordingState::recording), process.pid, process.start_time_ticks,
              std::string_view(process.scope), utc_now_ns());
  TableWriter exported(database, "META_DATA_EXPORT", {"name", "value"});
  exported.insert(std::string_view("EXPORT_SCHEMA_VERSION"), std::string_view("3.25.0"));
  exported.insert(std::string_view("EXPORT_SCHEMA_VERSION_MAJOR"), std::string_view("3"));
  exported.insert(std::string_view("EXPORT_SCHEMA_VERSION_MINOR"), std::string_view("25"));
  exported.insert(std::string_view("EXPORT_SCHEMA_VERSION_MICRO"), std::string_view("0"));
  set_start(session.start_utc_ns);
  set_session_value("schemaVersion", std::to_string(kStoreSchemaVersion));
  set_session_value("mansardVersion", session.mansard_version);
  set_session_value("command", session.command);
  set_session_value("host", session.host);
  set_session_value("cpuName", session.cpu_name);
  set_session_value("cpuCores", std::to_string(session.cpu_cores));
  set_session_value("pid", std::to_string(pid_));
  set_session_value("rank", std::to_string(session.rank));
  set_session_value("driverVersion", session.driver_version);
  tables_->processes.insert(global_pid(pid_), pid_, std::string_view(session.command));
  database.exec(enum_tables());
  commit();
}

ProfileWriter::~ProfileWriter() = default;

void ProfileWriter::begin() {
  if (!tables_->database.in_transaction()) tables_->database.exec("BEGIN");
}

void ProfileWriter::count_row() {
  if (++rows_in_transaction_ >= kRowsPerTransaction) commit();
}

void ProfileWriter::count_event() {
  ++events_;
  count_row();
}

void ProfileWriter::commit() {
  const auto now = std::chrono::steady_clock::now();
  if (now - heartbeat_ > kHeartbeatPeriod) {
    heartbeat_ = now;
    tables_->database.exec("UPDATE MANSARD_STATE SET heartbeatUtcNs = " +
                           std::to_string(utc_now_ns()));
  }
  if (tables_->database.in_transaction()) tables_->database.exec("COMMIT");
  rows_in_transaction_ = 0;
}

StringId ProfileWriter::intern(std::string_view text) {
  if (text.empty()) return 0;
  const auto [at, added] = tables_->ids.try_emplace(std::string(text), 0);
  if (added) {
    at->second = static_cast<StringId>(tables_->texts.size());
    tables_->texts.push_back(&at->first);
    begin();
    tables_->strings.insert(at->second, text);
  }
  return at->second;
}

void ProfileWriter::add(const KernelRecord& k) {
  begin();
  tables_->kernels.insert(k.start_ns, k.end_ns, k.device_id, k.context_id, k.stream_id,
                          k.correlation_id, global_pid(pid_), k.demangled_name, k.short_name,
                          unless(k.mangled_name, StringId{0}), k.launch_type,
                          k.registers_per_thread, k.grid[0], k.grid[1], k.grid[2], k.block[0],
                          k.block[1], k.block[2], k.static_shared_bytes, k.dynamic_shared_bytes,
                          k.local_bytes_per_thread, k.local_bytes_total, k.grid_id,
                          unless(k.graph_node_id, std::int64_t{0}), unless(k.graph_id, 0),
                          k.cluster[0], k.cluster[1], k.cluster[2], std::string_view());
  count_event();
}

void ProfileWriter::add(const MemcpyRecord& m) {
  begin();
  tables_->memcpys.insert(m.start_ns, m.end_ns, m.device_id, m.context_id, m.stream_id,
                          m.correlation_id, global_pid(pid_), m.bytes, m.copy_kind, m.src_kind,
                          m.dst_kind, unless(m.graph_node_id, std::int64_t{0}));
  count_event();
}

void ProfileWriter::add(const MemsetRecord& m) {
  begin();
  tables_->memsets.insert(m.start_ns, m.end_ns, m.device_id, m.context_id, m.stream_id,
                          m.correlation_id, global_pid(pid_), m.value, m.bytes,
                          unless(m.graph_node_id, std::int64_t{0}), m.mem_kind);
  count_event();
}

void ProfileWriter::add(const CounterReading& r) {
  begin();
  const std::int64_t id = tables_->next_reading++;
  tables_->readings.insert(id, r.start_ns, r.device_id, r.correlation_id, global_pid(pid_),
                           r.demangled_name, unless(r.mangled_name, StringId{0}), r.grid[0],
                           r.grid[1], r.grid[2], r.block[0], r.block[1], r.block[2],
                           r.dynamic_shared_bytes, r.passes);
  for (const auto& [metric, value] : r.values) {
    tables_->reading_values.insert(id, metric, value);  // SQLite stores NaN as NULL
  }
  count_row();
}

void ProfileWriter::add(const ApiRecord& a) {
  begin();
  tables_->api_calls.insert(a.start_ns, a.end_ns, a.event_class, a.global_tid, a.correlation_id,
                            a.name, a.return_value);
  count_event();
}

void ProfileWriter::add(const GpuRecord& g) {
  begin();
  tables_->gpus.insert(0, g.id, std::string_view(g.name), std::string_view(g.bus_location), 1,
                       g.l2_bytes, g.total_memory_bytes, g.memory_bandwidth_bytes_per_s,
                       g.clock_rate_hz, g.sm_count, std::string_view(g.uuid), g.compute_major,
                       g.compute_minor, g.compute_major, g.compute_minor);
  count_row();
}

void ProfileWriter::add(const DiagnosticRecord& d) {
  begin();
  // Target timestamp, source: injection (ENUM_DIAGNOSTIC_TIMESTAMP_SOURCE and _SOURCE_TYPE).
  tables_->diagnostics.insert(d.timestamp_ns, 1, 1, static_cast<std::int32_t>(d.severity),
                              std::string_view(d.text), global_pid(pid_));
  count_row();
}

void ProfileWriter::add(const DeviceStateSample& s) {
  begin();
  const auto instant = s.power_w ? std::optional(s.power_is_instant ? 1 : 0) : std::nullopt;
  tables_->device_states.insert(
      s.timestamp_ns, s.device_id, in_units(s.sm_clock_hz, 1e6), in_units(s.memory_clock_hz, 1e6),
      in_units(s.power_w, 1e-3), instant, in_units(s.temperature_c, 1), s.clocks_event_reasons,
      in_units(s.gpu_utilization, 0.01), in_units(s.memory_utilization, 0.01), s.memory_used_bytes);
  count_row();
}

void ProfileWriter::add(const GpuMetricSample& s) {
  for (const auto& [metric, value] : s.values) {
    begin();
    tables_->gpu_metrics.insert(s.end_ns, s.device_id, metric, value);
    count_row();
  }
}

void ProfileWriter::add(const CollectiveRecord& c) {
  begin();
  tables_->collectives.insert(c.start_ns, c.device_id, unless(c.correlation_id, std::int64_t{0}),
                              global_pid(pid_), std::string_view(c.name),
                              unless_empty(c.element_type), c.in_elements, c.out_elements,
                              unless(c.element_bytes, std::int64_t{0}), unless(c.group_size, 0),
                              unless_empty(c.group_name), unless_empty(c.group_ranks));
  count_row();
}

std::int64_t ProfileWriter::add(const NvtxRecord& n) {
  begin();
  const std::int64_t row_id = n.row_id != 0 ? n.row_id : reserve_nvtx_row();
  const auto payload = [&]<class T>() -> std::optional<T> {
    const T* value = std::get_if<T>(&n.payload);
    return value != nullptr ? std::optional<T>(*value) : std::nullopt;
  };
  const auto single = payload.operator()<float>();
  tables_->nvtx.insert(
      row_id, n.start_ns, unless(n.end_ns, std::int64_t{-1}), static_cast<std::int32_t>(n.type),
      unless(n.range_id, std::int64_t{0}), unless(n.category, 0), unless(n.color, std::int64_t{-1}),
      unless_empty(n.text), n.global_tid, unless(n.end_global_tid, std::int64_t{0}),
      unless(n.text_id, StringId{0}), n.domain_id, payload.operator()<std::uint64_t>(),
      payload.operator()<std::int64_t>(), payload.operator()<double>(),
      payload.operator()<std::uint32_t>(), payload.operator()<std::int32_t>(),
      single ? std::optional<double>(*single) : std::nullopt,
      json_column({n.json, n.began_earlier}));
  if (n.began_earlier) {
    // Part of its work was not recorded, and may not be held against the part of its time that was.
  } else if (!n.text.empty()) {
    write_work(row_id, n.text);
  } else if (n.text_id > 0 && n.text_id < static_cast<StringId>(tables_->texts.size())) {
    write_work(row_id, *tables_->texts[static_cast<std::size_t>(n.text_id)]);
  }
  const bool of_the_program = n.type == NvtxEventType::push_pop ||
                              n.type == NvtxEventType::start_end || n.type == NvtxEventType::mark;
  of_the_program ? count_event() : count_row();
  return row_id;
}

void ProfileWriter::end_range(std::int64_t row_id, std::int64_t end_ns, std::int64_t end_tid,
                              RangeJson json) {
  begin();
  if (!tables_->end_range) {
    tables_->end_range.emplace(tables_->database.prepare(
        "UPDATE NVTX_EVENTS SET \"end\" = ?, endGlobalTid = ?, jsonText = ? WHERE rowid = ?"));
  }
  tables_->end_range->run(end_ns, unless(end_tid, std::int64_t{0}), json_column(json), row_id);
  count_row();
}

void ProfileWriter::write_work(std::int64_t row_id, std::string_view text) {
  const std::optional<kernels::WorkAnnotation> work = kernels::parse_work_annotation(text);
  if (!work) return;
  std::optional<std::string_view> precision;
  if (work->precision) precision = info(*work->precision).key;
  tables_->work.insert(row_id, std::string_view(work->name), work->flop, precision,
                       unless_empty(work->operation_class), unless_empty(work->shape),
                       work->unknown_keys);
  for (const auto& [level, bytes] : work->bytes) {
    tables_->work_bytes.insert(row_id, info(level).key, bytes);
  }
}

void ProfileWriter::set_window(std::int64_t number, const RecordedWindow& window) {
  begin();
  if (tables_->database.has_table("MANSARD_WINDOW")) {
    tables_->database.prepare("DELETE FROM MANSARD_WINDOW WHERE rowid = ?").run(number);
  }
  tables_->windows.insert(number, window.start_ns, unless(window.end_ns, std::int64_t{-1}));
}

void ProfileWriter::add_thread_name(std::int64_t tid, std::string_view name) {
  begin();
  tables_->thread_names.insert(intern(name), 0, tid);
}

void ProfileWriter::set_session_value(std::string_view name, std::string_view value) {
  begin();
  Database& database = tables_->database;
  if (database.has_table("MANSARD_SESSION")) {
    database.prepare("DELETE FROM MANSARD_SESSION WHERE name = ?").run(name);
  }
  tables_->session.insert(name, value);
}

void ProfileWriter::set_start(std::int64_t utc_ns) {
  begin();
  constexpr const char* kTable = "TARGET_INFO_SESSION_START_TIME";
  Database& database = tables_->database;
  if (database.has_table(kTable)) database.exec(std::string("DELETE FROM ") + kTable);
  const std::int64_t elapsed_ns = utc_now_ns() - utc_ns;
  TableWriter(database, kTable, {"utcEpochNs", "utcTime", "localTime", "systemClockNs"})
      .insert(utc_ns, std::string_view(format_time(utc_ns, false)),
              std::string_view(format_time(utc_ns, true)), clock_ns(CLOCK_MONOTONIC) - elapsed_ns);
}

std::int64_t ProfileWriter::reserve_nvtx_row() { return tables_->next_nvtx_row++; }

void ProfileWriter::give_up(const DiagnosticRecord& why) {
  if (tables_->database.in_transaction()) tables_->database.exec("ROLLBACK");
  add(why);
  commit();
  close_database(tables_->database, RecordingState::interrupted);
}

void ProfileWriter::finish(RecordingState state) {
  commit();
  close_database(tables_->database, state);
}

}  // namespace mansard::store
