// SPDX-License-Identifier: Apache-2.0
// Writes a recording, one thread at a time. What has been committed survives a kill -9 of the
// process, though not a loss of power: write-ahead log, never synced (with the rollback journal off
// or in memory, 5 of 20 killed recordings were corrupt; with the log none).
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
  // `file` must not exist, or be empty (created with O_EXCL by a caller that fears a race).
  // Times of all records count from session.start_utc_ns; session.pid 0 means this process.
  ProfileWriter(const std::filesystem::path& file, const SessionInfo& session);
  ~ProfileWriter();  // without finish(): leaves the file as a crash would

  // Waits for locks of the file only as long as `go_on` says.
  void wait_for_locks_while(std::function<bool()> go_on);

  StringId intern(std::string_view text);

  // A row of table<Record>. Instantiated for all records of tables.h but NvtxRecord.
  template <class Record>
  void add(const Record& record);
  void add(const CounterReading& reading);  // with its values
  void add(const GpuMetricSample& sample);

  // Also stores the work annotation in its text, if any. Returns the row's id: the record's own,
  // or the next free one if that is 0.
  std::int64_t add(const NvtxRecord& record);
  // Closes a range that was written while still open (end_ns -1).
  void end_range(std::int64_t row_id, std::int64_t end_ns, std::int64_t end_global_tid,
                 RangeJson json);

  void add_thread_name(std::int64_t global_tid, std::string_view name);
  // In place of the window of that number: its end may be known later.
  void set_window(const RecordedWindow& window);
  void set_session_value(std::string_view name, std::string_view value);
  // When the session started, if that was not known when it was opened.
  void set_start(std::int64_t utc_ns);

  // Makes everything added so far durable. add() commits by itself every so many rows.
  void commit();

  // Commits, records `state` and leaves a single file. Only once.
  void finish(RecordingState state);

  // Writing failed: drops the open transaction, and leaves `why` and the state "interrupted".
  void give_up(const DiagnosticRecord& why);

  // For a range that is written later: set it as the record's row_id.
  std::int64_t reserve_nvtx_row();

  const std::filesystem::path& file() const { return file_; }

  // Added so far: kernels, copies, fills, calls, ranges and marks.
  std::uint64_t events() const { return events_; }

 private:
  struct Tables;
  void begin();
  template <class Record>
  void write(const Record& record);
  void write_work(std::int64_t row_id, std::string_view text);

  std::filesystem::path file_;
  std::unique_ptr<Tables> tables_;
  std::int64_t rows_in_transaction_ = 0;
  std::uint64_t events_ = 0;
  std::chrono::steady_clock::time_point heartbeat_;
};

}  // namespace mansard::store
