// SPDX-License-Identifier: Apache-2.0
#include "collector/store/profile_writer.h"

#include <ctime>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "collector/store/close_database.h"
#include "collector/store/global_ids.h"
#include "collector/store/row_writer.h"
#include "kernels/annotation/operation_work.h"
#include "support/process.h"

namespace mansard::store {
namespace {

constexpr std::int64_t kRowsPerTransaction = 20000;
constexpr std::chrono::seconds kHeartbeatPeriod{10};

std::string format_time(std::int64_t utc_ns, bool local) {
  const std::time_t seconds = utc_ns / 1'000'000'000;
  std::tm parts{};
  local ? localtime_r(&seconds, &parts) : gmtime_r(&seconds, &parts);
  char text[64];
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &parts);
  return text;
}

std::int64_t clock_ns(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

Database create_recording(const std::filesystem::path& file) {
  // Database opens only existing files, because load_profile must never create one.
  std::ofstream created(file, std::ios::app);
  if (!created) throw std::runtime_error(file.string() + ": cannot create the profile");
  if (created.tellp() != 0) {
    throw std::runtime_error(file.string() + ": already exists; profiles are never appended to");
  }
  created.close();
  Database database(file.string(), Database::Access::read_write);
  // A sync waits for all pending writes of the machine, such as a model checkpoint. This can take
  // seconds, and a fork would have to wait too. Without a sync, the kernel still keeps what a
  // killed process wrote.
  database.exec("PRAGMA page_size=16384; PRAGMA synchronous=OFF");
  database.write_through_log();
  return database;
}

// Records of program activity, as opposed to descriptions of the program.
template <class Record>
bool is_event(const Record& record) {
  if constexpr (std::is_same_v<Record, NvtxRecord>) {
    return record.type == NvtxEventType::push_pop || record.type == NvtxEventType::start_end ||
           record.type == NvtxEventType::mark;
  }
  return std::is_same_v<Record, KernelRecord> || std::is_same_v<Record, MemcpyRecord> ||
         std::is_same_v<Record, MemsetRecord> || std::is_same_v<Record, ApiRecord>;
}

template <class Records>
struct WritersOf;
template <class... Records>
struct WritersOf<std::tuple<Records...>> {
  using Type = std::tuple<RowWriter<table<Records>>...>;
  static Type make(Database& database, std::int64_t pid) {
    return {RowWriter<table<Records>>(database, pid)...};
  }
};

}  // namespace

struct ProfileWriter::Tables {
  Tables(const std::filesystem::path& file, std::int64_t pid)
      : database(create_recording(file)), writers(WritersOf<AllRecords>::make(database, pid)) {}

  template <class Record>
  void insert(const Record& record) {
    std::get<RowWriter<table<Record>>>(writers).insert(record);
  }

  Database database;
  WritersOf<AllRecords>::Type writers;
  std::int64_t next_reading = 1;
  std::optional<Statement> end_range;

  std::unordered_map<std::string, StringId> ids;
  std::vector<const std::string*> texts = {
      nullptr};  // by StringId; keys of a node-based map do not move
  std::int64_t next_nvtx_row = 1;
};

std::int64_t utc_now_ns() { return clock_ns(CLOCK_REALTIME); }

void ProfileWriter::wait_for_locks_while(std::function<bool()> go_on) {
  constexpr int kPatience_ms = 5000;
  tables_->database.set_lock_timeout(kPatience_ms, std::move(go_on));
}

ProfileWriter::ProfileWriter(const std::filesystem::path& file, const SessionInfo& session)
    : file_(file), heartbeat_(std::chrono::steady_clock::now()) {
  const RecordingProcess process = this_process();
  const std::int64_t pid = session.pid != 0 ? session.pid : process.pid;
  tables_ = std::make_unique<Tables>(file, pid);
  begin();
  tables_->insert(StateRow{to_string(RecordingState::recording), process.pid,
                           process.start_time_ticks, process.scope, utc_now_ns()});
  for (const auto& [name, value] : {std::pair("EXPORT_SCHEMA_VERSION", "3.25.0"),
                                    {"EXPORT_SCHEMA_VERSION_MAJOR", "3"},
                                    {"EXPORT_SCHEMA_VERSION_MINOR", "25"},
                                    {"EXPORT_SCHEMA_VERSION_MICRO", "0"}}) {
    tables_->insert(ExportRow{name, value});
  }
  set_start(session.start_utc_ns);
  set_session_value("schemaVersion", std::to_string(kStoreSchemaVersion));
  set_session_value("mansardVersion", session.mansard_version);
  set_session_value("command", session.command);
  set_session_value("host", session.host);
  set_session_value("cpuName", session.cpu_name);
  set_session_value("cpuCores", std::to_string(session.cpu_cores));
  set_session_value("pid", std::to_string(pid));
  set_session_value("rank", std::to_string(session.rank));
  set_session_value("driverVersion", session.driver_version);
  tables_->insert(ProcessRow{global_pid(pid), pid, session.command});
  tables_->database.exec(enum_tables());
  commit();
}

ProfileWriter::~ProfileWriter() = default;

void ProfileWriter::begin() {
  if (!tables_->database.in_transaction()) tables_->database.exec("BEGIN");
}

template <class Record>
void ProfileWriter::write(const Record& record) {
  begin();
  tables_->insert(record);
  if (is_event(record)) ++events_;
  if (++rows_in_transaction_ >= kRowsPerTransaction) commit();
}

template <class Record>
void ProfileWriter::add(const Record& record) {
  write(record);
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
    tables_->insert(StringRow{at->second, text});
  }
  return at->second;
}

void ProfileWriter::add(const CounterReading& reading) {
  begin();
  CounterReading row = reading;
  row.id = tables_->next_reading++;
  for (const auto& [metric, value] : row.values) {
    tables_->insert(CounterValueRow{row.id, metric, value});  // SQLite stores NaN as NULL
  }
  write(row);
}

void ProfileWriter::add(const GpuMetricSample& s) {
  for (const auto& [metric, value] : s.values) {
    write(GpuMetricRow{s.end_ns, s.device_id, metric, value});
  }
}

std::int64_t ProfileWriter::add(const NvtxRecord& record) {
  begin();
  const std::int64_t row_id = record.row_id != 0 ? record.row_id : reserve_nvtx_row();
  if (record.began_earlier) {
    // Skip the work annotation: only part of the range's work was recorded, so its work does not
    // match its recorded time.
  } else if (!record.text.empty()) {
    write_annotation(row_id, record.type, record.text);
  } else if (record.text_id > 0 && record.text_id < static_cast<StringId>(tables_->texts.size())) {
    write_annotation(row_id, record.type,
                     *tables_->texts[static_cast<std::size_t>(record.text_id)]);
  }
  if (record.row_id != 0) {
    write(record);
  } else {
    NvtxRecord numbered = record;
    numbered.row_id = row_id;
    write(numbered);
  }
  return row_id;
}

std::int64_t ProfileWriter::add(const NvtxRecord& record, const kernels::WorkAnnotation& work) {
  begin();
  NvtxRecord numbered = record;
  if (numbered.row_id == 0) numbered.row_id = reserve_nvtx_row();
  write(numbered);
  if (!numbered.began_earlier) write_work(numbered.row_id, work);
  return numbered.row_id;
}

void ProfileWriter::end_range(std::int64_t row_id, std::int64_t end_ns, std::int64_t end_tid,
                              RangeJson json) {
  begin();
  if (!tables_->end_range) {
    tables_->end_range.emplace(tables_->database.prepare(
        "UPDATE NVTX_EVENTS SET \"end\" = ?, endGlobalTid = ?, jsonText = ? WHERE rowid = ?"));
  }
  const std::optional<std::int64_t> tid = end_tid != 0 ? std::optional(end_tid) : std::nullopt;
  const std::optional<std::string> text = nvtx_json(json.payload, json.began_earlier);
  tables_->end_range->run(end_ns, tid, text, row_id);
  if (++rows_in_transaction_ >= kRowsPerTransaction) commit();
}

void ProfileWriter::write_annotation(std::int64_t row_id, NvtxEventType type,
                                     std::string_view text) {
  if (type == NvtxEventType::mark) {
    if (const auto numerics = kernels::parse_tensor_numerics(text)) {
      return tables_->insert(TensorNumericsRow{row_id, *numerics, intern(numerics->layer)});
    }
    if (const auto step = kernels::parse_training_step(text)) {
      return tables_->insert(TrainingStepRow{row_id, *step});
    }
  }
  if (const auto work = kernels::work_of_text(text)) write_work(row_id, *work);
}

void ProfileWriter::write_work(std::int64_t row_id, const kernels::WorkAnnotation& work) {
  tables_->insert(WorkRow{row_id, work});
  for (const auto& [level, bytes] : work.bytes) {
    tables_->insert(WorkBytesRow{row_id, info(level).key, bytes});
  }
}

void ProfileWriter::set_window(const RecordedWindow& window) {
  begin();
  if (tables_->database.has_table(table<RecordedWindow>.name)) {
    tables_->database.prepare("DELETE FROM MANSARD_WINDOW WHERE rowid = ?").run(window.number);
  }
  tables_->insert(window);
}

void ProfileWriter::add_thread_name(std::int64_t tid, std::string_view name) {
  begin();
  tables_->insert(ThreadNameRow{intern(name), 0, tid});
}

void ProfileWriter::set_session_value(std::string_view name, std::string_view value) {
  begin();
  if (tables_->database.has_table(table<SessionValueRow>.name)) {
    tables_->database.prepare("DELETE FROM MANSARD_SESSION WHERE name = ?").run(name);
  }
  tables_->insert(SessionValueRow{name, value});
}

void ProfileWriter::set_start(std::int64_t utc_ns) {
  begin();
  if (tables_->database.has_table(table<SessionStartRow>.name)) {
    tables_->database.exec("DELETE FROM TARGET_INFO_SESSION_START_TIME");
  }
  const std::int64_t elapsed_ns = utc_now_ns() - utc_ns;
  tables_->insert(SessionStartRow{utc_ns, format_time(utc_ns, false), format_time(utc_ns, true),
                                  clock_ns(CLOCK_MONOTONIC) - elapsed_ns});
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

template void ProfileWriter::add(const PauseRecord&);
template void ProfileWriter::add(const KernelRecord&);
template void ProfileWriter::add(const MemcpyRecord&);
template void ProfileWriter::add(const MemsetRecord&);
template void ProfileWriter::add(const ApiRecord&);
template void ProfileWriter::add(const GraphNodeRecord&);
template void ProfileWriter::add(const GraphRecord&);
template void ProfileWriter::add(const SynchronizationRecord&);
template void ProfileWriter::add(const OverheadRecord&);
template void ProfileWriter::add(const MemoryRecord&);
template void ProfileWriter::add(const MemoryPoolRecord&);
template void ProfileWriter::add(const StreamRecord&);
template void ProfileWriter::add(const ContextRecord&);
template void ProfileWriter::add(const GpuRecord&);
template void ProfileWriter::add(const DiagnosticRecord&);
template void ProfileWriter::add(const DeviceStateSample&);
template void ProfileWriter::add(const CollectiveRecord&);

}  // namespace mansard::store
