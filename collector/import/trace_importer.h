// SPDX-License-Identifier: Apache-2.0
// Converts events of a trace to rows of a profile.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>

#include "collector/import/host_threads.h"
#include "collector/import/import_result.h"
#include "collector/import/recent_events.h"
#include "collector/import/trace_names.h"
#include "collector/store/profile_writer.h"

namespace mansard::collector {

class TraceImporter {
 public:
  TraceImporter(store::ProfileWriter& writer, ImportResult& result)
      : writer_(writer), result_(result) {}

  void add(const TraceEvent& event);
  void add(const store::GpuRecord& gpu) { writer_.add(gpu); }
  void finish();  // writes names of threads and domains, and adds notes

  // Origin of row times, on the trace's clock: one second before its first event, to leave room for
  // earlier events later in the file.
  std::int64_t origin_ns() const { return origin_ns_.value_or(0); }
  // Start of the first and end of the last event, relative to the origin.
  std::int64_t first_ns() const { return first_ns_; }
  std::int64_t last_ns() const { return last_ns_; }
  bool empty() const { return !origin_ns_; }

 private:
  // Set for each event.
  struct Span {
    std::int64_t start_ns = 0;
    std::int64_t end_ns = 0;
  };
  std::optional<Span> span_of(const TraceEvent& event);
  void skip(const std::string& reason) { result_.skipped.count(reason); }
  void skip_phase(const TraceEvent& event);

  void add_kernel(const TraceEvent& event, Span span);
  void add_collective(const TraceEvent& event, Span span);
  void add_copy(const TraceEvent& event, Span span);
  void add_fill(const TraceEvent& event, Span span);
  void add_call(const TraceEvent& event, Span span, std::int32_t event_class);
  void add_synchronization(const TraceEvent& event, Span span);
  void add_range(const TraceEvent& event, Span span, TraceKind kind);
  void add_overhead(const TraceEvent& event, Span span);

  store::StringId short_name(store::StringId full, const std::string& text);

  store::ProfileWriter& writer_;
  ImportResult& result_;
  HostThreads threads_;
  RecentEvents recent_;
  std::unordered_map<store::StringId, store::StringId> short_names_;
  std::optional<std::int64_t> origin_ns_;
  std::int64_t first_ns_ = INT64_MAX;
  std::int64_t last_ns_ = INT64_MIN;
  std::int64_t without_correlation_ = 0;
};

}  // namespace mansard::collector
