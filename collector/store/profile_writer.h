// SPDX-License-Identifier: Apache-2.0
// Writes a profile; not thread-safe. Committed data survives a kill -9 of the process, but not a
// power loss: it uses a write-ahead log that is never synced (with the rollback journal off or in
// memory, 5 of 20 killed recordings were corrupt; with the log, none).
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "collector/store/profile.h"
#include "collector/store/tables.h"

namespace mansard::store {

std::int64_t utc_now_ns();

// Column jsonText of a range (nvtx_json()).
struct RangeJson {
  std::string_view payload;  // a structured payload, as the text of a JSON object; empty: none
  bool began_earlier = false;
};

class ProfileWriter {
 public:
  // `file` must not exist or must be empty (created with O_EXCL by the caller to avoid a race).
  // Times of all records are relative to session.start_utc_ns; session.pid 0 means this process.
  ProfileWriter(const std::filesystem::path& file, const SessionInfo& session);
  ~ProfileWriter();  // without finish(): leaves the file as a crash would

  // Waits for locks of the file only while `go_on` returns true.
  void wait_for_locks_while(std::function<bool()> go_on);

  StringId intern(std::string_view text);

  // Adds a row to table<Record>. Instantiated for all records of tables.h except NvtxRecord.
  template <class Record>
  void add(const Record& record);
  void add(const CounterReading& reading);  // and its values
  void add(const GpuMetricSample& sample);

  // Also stores the annotation in its text, if any: of work or, in a mark, of training. Returns the
  // row id: that of the record, or the next free one if it is 0.
  std::int64_t add(const NvtxRecord& record);
  // Likewise, with work that its text does not state.
  std::int64_t add(const NvtxRecord& record, const kernels::WorkAnnotation& work);
  // Closes a range that was written while still open (end_ns -1).
  void end_range(std::int64_t row_id, std::int64_t end_ns, std::int64_t end_global_tid,
                 RangeJson json);

  void add_thread_name(std::int64_t global_tid, std::string_view name);
  // Replaces the window with the same number, as its end may become known later.
  void set_window(const RecordedWindow& window);
  void set_session_value(std::string_view name, std::string_view value);
  // Sets the session start, if it was unknown when the file was created.
  void set_start(std::int64_t utc_ns);

  // Makes everything added so far durable. add() also commits periodically.
  void commit();

  // Commits, stores `state` and leaves a single file. To be called once.
  void finish(RecordingState state);

  // Writing failed: drops the open transaction, and leaves `why` and the state "interrupted".
  void give_up(const DiagnosticRecord& why);

  // Reserves a row for a range that is written later: set the result as the record's row_id.
  std::int64_t reserve_nvtx_row();

  const std::filesystem::path& file() const { return file_; }

  // Number of kernels, memcpys, memsets, API calls, ranges and marks added so far.
  std::uint64_t events() const { return events_; }

 private:
  struct Tables;
  void begin();
  template <class Record>
  void write(const Record& record);
  void write_annotation(std::int64_t row_id, NvtxEventType type, std::string_view text);
  void write_work(std::int64_t row_id, const kernels::WorkAnnotation& work);

  std::filesystem::path file_;
  std::unique_ptr<Tables> tables_;
  std::int64_t rows_in_transaction_ = 0;
  std::uint64_t events_ = 0;
  std::chrono::steady_clock::time_point heartbeat_;
};

}  // namespace mansard::store
