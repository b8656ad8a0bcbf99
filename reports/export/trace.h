// SPDX-License-Identifier: Apache-2.0
// A run as tracks with slices, flows and counters: what Chrome's and Perfetto's traces have in
// common. walk_timeline() makes it, piece by piece; a format is a TimelineWriter.
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
  TrackId parent = 0;     // a process, device, or, of a further lane, its first
  std::string name = {};  // as recorded: any bytes; a thread's may be empty
  // Numbers by which a viewer tells processes (devices too) and their threads (streams too) apart;
  // the system's own where these are unique.
  std::int64_t process = 0;
  std::int64_t thread = 0;
  bool is_further_lane = false;    // for what overlaps on a thread or stream; `name` says of which
  std::int64_t system_thread = 0;  // of a thread's lane: its thread's number
  std::string unit = {};           // of a counter
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
  std::string_view category;           // PyTorch's word for it: "kernel", "cuda_runtime", ...
  std::string_view name;               // any bytes
  std::span<const Argument> arguments;
  // Arrows from a call to what it launched, by ids of which each is in one call and one activity.
  std::span<const std::uint64_t> outgoing_flows;
  std::uint64_t incoming_flow = 0;  // 0: none
};

struct CounterValue {
  TrackId track = 0;
  std::int64_t time_ns = 0;
  double value = 0;
};

// What is known before the first event.
struct TimelineHead {
  std::int64_t start_utc_ns = 0;  // of time 0; 0: not known
  std::int64_t first_ns = 0;      // time zero of the profile, subtracted from its times
  TimelineLosses losses;
};

class TimelineWriter {
 public:
  virtual ~TimelineWriter() = default;
  virtual void begin(const ExportInput& input, const TimelineHead& head) = 0;
  virtual void track(const Track& track) = 0;  // before what refers to it
  // Of one track by start; those that contain others come before them, and none overlaps another
  // without containing it.
  virtual void slice(const Slice& slice) = 0;
  virtual void counter(const CounterValue& value) = 0;
  virtual void end() = 0;
};

// Host threads first, then devices, then counters.
TimelineLosses walk_timeline(const ExportInput& input, TimelineWriter& writer);

}  // namespace mansard::reports
