// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <stdexcept>

#include "collector/import/import_result.h"
#include "collector/import/profile_source.h"
#include "collector/import/trace_event.h"
#include "collector/import/trace_importer.h"
#include "collector/store/schema.h"
#include "collector/store/sqlite.h"
#include "support/files.h"
#include "support/units.h"

namespace mansard::collector {
namespace {

// Information needed before the first row is written: the traced process, whose pid is part of
// every row.
struct FirstLook {
  TraceHead head;
  std::int64_t pid = 0;
};

FirstLook look_at(const std::filesystem::path& trace) {
  constexpr int kEvents = 20'000;
  FirstLook look;
  int events = 0;
  TraceVisitor visitor;
  visitor.event = [&](const TraceEvent& e) {
    const bool is_host = e.phase == "X" && is_of_host(trace_kind(e.category));
    if (is_host && e.pid.number && *e.pid.number > 0) look.pid = *e.pid.number;
    return look.pid == 0 && ++events < kEvents;
  };
  read_trace(trace, look.head, visitor);
  return look;
}

store::SessionInfo session_of(const FirstLook& look) {
  store::SessionInfo session;
  session.pid = look.pid != 0 ? look.pid : 1;                         // 0 means this process
  session.command = "(imported from a trace of PyTorch's profiler)";  // the same for all ranks
  session.mansard_version = MANSARD_VERSION + std::string(kFromPyTorchProfiler);
  session.rank = static_cast<int>(look.head.rank.value_or(-1));
  return session;
}

std::string interruption(const TraceReading& reading) {
  const std::string where = " (" + reading.problem + "): later events are missing.";
  switch (reading.end) {
    case TraceEnd::whole:
      return "";
    case TraceEnd::cut_short:
      return "The trace is truncated" + where + " Was the program killed while writing it?";
    case TraceEnd::unreadable:
      return "The trace cannot be read to its end" + where +
             " Copy the file again, or record a new trace.";
    case TraceEnd::no_json:
      return "The trace contains invalid JSON" + where +
             " Other output was written into the file, or its writer has a bug.";
  }
  return "";
}

// Shifts all times if some events turned out to be before the start of the profile.
void shift_times(store::Database& database, std::int64_t by_ns) {
  const std::string by = std::to_string(by_ns);
  database.exec("PRAGMA journal_mode=OFF; BEGIN");
  for (const char* table :
       {"CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_MEMCPY", "CUPTI_ACTIVITY_KIND_MEMSET",
        "CUPTI_ACTIVITY_KIND_RUNTIME", "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
        "CUPTI_ACTIVITY_KIND_OVERHEAD", "NVTX_EVENTS", "MANSARD_COLLECTIVE", "DIAGNOSTIC_EVENT"}) {
    const auto columns = database.columns(table);
    std::string changes;
    for (const std::string column : {"start", "end", "timestamp"}) {
      if (!columns.contains(column)) continue;
      const std::string quoted = '"' + column + '"';
      changes += (changes.empty() ? "" : ", ") + quoted + " = " + quoted + " + " + by;
    }
    if (!changes.empty()) database.exec("UPDATE " + std::string(table) + " SET " + changes);
  }
  database.exec("COMMIT; PRAGMA journal_mode=DELETE");
}

// The trace does not name the machine. Traces of two machines must not be treated as of one
// machine, with one clock and unique pids.
void set_scope(store::Database& database, const std::filesystem::path& trace) {
  std::string scope = "trace:" + std::filesystem::absolute(trace).string();
  std::replace(scope.begin(), scope.end(), ' ', '_');
  database.prepare("UPDATE MANSARD_STATE SET processScope = ?").run(std::string_view(scope));
}

}  // namespace

ImportResult import_trace(const std::filesystem::path& trace, const std::filesystem::path& output,
                          const ImportProgress& progress) {
  ImportResult result;
  const FirstLook look = look_at(trace);
  OutputFile unfinished(output, OutputKind::database);
  std::int64_t shift_ns = 0;
  {
    store::ProfileWriter writer(unfinished.file(), session_of(look));
    writer.set_session_value("importedFrom", std::filesystem::absolute(trace).string());
    TraceImporter importer(writer, result);
    TraceHead head;
    const std::uint64_t all_bytes = std::filesystem::file_size(trace);
    TraceVisitor visitor;
    visitor.event = [&](const TraceEvent& event) {
      importer.add(event);
      return true;
    };
    visitor.gpu = [&](const store::GpuRecord& gpu) { importer.add(gpu); };
    visitor.progress = [&](std::uint64_t bytes) {
      if (progress) progress(bytes, all_bytes);
    };
    const TraceReading reading = read_trace(trace, head, visitor);
    const bool whole = reading.end == TraceEnd::whole;
    if (!reading.has_events) {
      throw std::runtime_error(trace.string() +
                               ": is JSON, but has no \"traceEvents\". Give a trace written by "
                               "torch.profiler's export_chrome_trace().");
    }
    if (importer.empty()) {
      throw std::runtime_error(
          trace.string() +
          ": has no events that Mansard imports (kernels, memcpy, memset, CUDA API calls, "
          "operators or annotations with a start and a duration)" +
          (whole ? "." : "; " + reading.problem));
    }
    importer.finish();
    if (importer.first_ns() < 0) shift_ns = 1'000'000'000 - importer.first_ns();
    writer.set_start(head.base_utc_ns + importer.origin_ns() - shift_ns);
    if (head.rank) writer.set_session_value("rank", std::to_string(*head.rank));
    if (head.world_size) {
      writer.set_session_value(store::kWorldSize, std::to_string(*head.world_size));
    }
    if (!whole) result.notes.insert(result.notes.begin(), interruption(reading));
    for (const std::string& note : result.notes) {
      writer.add(store::DiagnosticRecord{importer.last_ns(), store::Severity::warning, note});
    }
    result.summary =
        "Events over " +
        format_si(1e-9 * static_cast<double>(importer.last_ns() - importer.first_ns()), "s") +
        (head.rank ? ", rank " + std::to_string(*head.rank) : std::string()) + ".";
    writer.finish(whole ? store::RecordingState::complete : store::RecordingState::interrupted);
  }
  {
    store::Database database(unfinished.file().string(), store::Database::Access::read_write);
    set_scope(database, trace);
    if (shift_ns > 0) shift_times(database, shift_ns);
  }
  unfinished.finish();
  return result;
}

}  // namespace mansard::collector
