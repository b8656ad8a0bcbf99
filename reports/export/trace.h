// SPDX-License-Identifier: Apache-2.0
// A run as tracks with slices, flows and counters: the common model of Chrome and Perfetto traces.
// walk_timeline() produces it event by event; each format implements TimelineWriter.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "reports/export/export.h"

namespace mansard::reports {

using TrackId = std::uint32_t;  // from 1, in the order in which tracks are announced; 0: none

enum class TrackKind { process, thread, device, stream, counter };

struct Track {
  TrackId id = 0;
  TrackKind kind = TrackKind::process;
  TrackId parent = 0;     // a process or device; further lanes: the first lane
  std::string name = {};  // as recorded: any bytes; may be empty for threads
  // Numbers by which viewers distinguish processes (and devices) and threads (and streams); the ids
  // of the operating system if these are unique.
  std::int64_t process = 0;
  std::int64_t thread = 0;
  bool is_further_lane = false;    // for overlapping events of a thread or stream; see `name`
  std::int64_t system_thread = 0;  // lanes of threads: the thread id
  std::string unit = {};           // for counters
};

using ArgumentValue =
    std::variant<std::int64_t, double, std::string_view, std::array<std::int32_t, 3>>;
struct Argument {
  std::string_view key;
  ArgumentValue value;
};

struct Slice {
  TrackId track = 0;
  std::int64_t start_ns = 0;           // since time zero (analyzer/profile_times.h)
  std::optional<std::int64_t> end_ns;  // none: still open when the recording ended
  bool is_instant = false;             // a mark, at start_ns
  std::string_view category;           // PyTorch's category: "kernel", "cuda_runtime", ...
  std::string_view name;               // any bytes
  std::span<const Argument> arguments;
  // Ids of the flows from an API call to its launches. Each id is used by one call and one
  // activity.
  std::span<const std::uint64_t> outgoing_flows;
  std::uint64_t incoming_flow = 0;  // 0: none
};

struct CounterValue {
  TrackId track = 0;
  std::int64_t time_ns = 0;
  double value = 0;
};

// Data that is known before the first event.
struct TimelineHead {
  std::int64_t start_utc_ns = 0;  // of time 0; 0: unknown
  std::int64_t first_ns = 0;      // time zero of the profile, subtracted from its times
  TimelineLosses losses;
};

class TimelineWriter {
 public:
  virtual ~TimelineWriter() = default;
  virtual void begin(const ExportInput& input, const TimelineHead& head) = 0;
  virtual void track(const Track& track) = 0;  // called before uses of the track
  // Slices of a track are sorted by start, enclosing slices first; overlapping slices are always
  // nested.
  virtual void slice(const Slice& slice) = 0;
  virtual void counter(const CounterValue& value) = 0;
  virtual void end() = 0;
};

// Host threads first, then devices, then counters.
TimelineLosses walk_timeline(const ExportInput& input, TimelineWriter& writer);

}  // namespace mansard::reports
