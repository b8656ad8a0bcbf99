// SPDX-License-Identifier: Apache-2.0
// Announces tracks, and assigns unique numbers to processes and threads.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_set>
#include <utility>

#include "reports/export/trace.h"

namespace mansard::reports {

// Assigns unique numbers: the requested one, unless it is already in use.
class UniqueNumbers {
 public:
  std::int64_t take(std::int64_t wanted) {
    const bool usual = wanted >= 0 && wanted < kFirstOther;
    return usual && taken_.insert(wanted).second ? wanted : next_++;
  }

 private:
  // Above the 24 bits of a process or thread in a globalTid.
  static constexpr std::int64_t kFirstOther = std::int64_t{1} << 24;
  std::unordered_set<std::int64_t> taken_;
  std::int64_t next_ = kFirstOther;
};

class TimelineTracks {
 public:
  explicit TimelineTracks(const ExportInput& input, TimelineWriter& writer)
      : input_(input), writer_(writer) {}

  // Returns the track with its id set.
  Track announce(Track track) {
    track.id = ++last_;
    writer_.track(track);
    return track;
  }

  UniqueNumbers& processes() { return processes_; }

  // Announced at first use, after all host processes, which have priority for numbers.
  const Track& device(std::int32_t id) {
    const auto known = devices_.find(id);
    if (known != devices_.end()) return known->second;
    Track track{.kind = TrackKind::device, .name = device_name(id)};
    track.process = processes_.take(id);
    return devices_.emplace(id, announce(std::move(track))).first->second;
  }

 private:
  std::string device_name(std::int32_t id) const {
    if (id < 0) return "no GPU";
    std::string name = "GPU " + std::to_string(id);
    for (const store::GpuRecord& gpu : input_.run.profile.gpus) {
      if (gpu.id == id && !gpu.name.empty()) return name + ": " + gpu.name;
    }
    return name;
  }

  const ExportInput& input_;
  TimelineWriter& writer_;
  TrackId last_ = 0;
  UniqueNumbers processes_;
  std::map<std::int32_t, Track> devices_;
};

}  // namespace mansard::reports
