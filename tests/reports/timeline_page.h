// SPDX-License-Identifier: Apache-2.0
// Reads the timeline of a page (reports/web/timeline_data.h) like the page's script.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <nlohmann/json.hpp>

namespace mansard::test {

// Starts of a track's slices, in nanoseconds since time zero.
inline std::vector<std::int64_t> track_starts_ns(const nlohmann::json& track) {
  std::vector<std::int64_t> starts_ns;
  std::int64_t end_ns = 0;
  for (std::size_t i = 0; i < track["gap_ns"].size(); ++i) {
    starts_ns.push_back(end_ns + track["gap_ns"][i].get<std::int64_t>());
    end_ns = starts_ns.back() + track["duration_ns"][i].get<std::int64_t>();
  }
  return starts_ns;
}

// Starts of the slices of all tracks by slice number.
inline std::vector<std::int64_t> slice_starts_ns(const nlohmann::json& timeline) {
  std::vector<std::int64_t> all_ns;
  for (const nlohmann::json& track : timeline["tracks"]) {
    const std::vector<std::int64_t> starts_ns = track_starts_ns(track);
    all_ns.insert(all_ns.end(), starts_ns.begin(), starts_ns.end());
  }
  return all_ns;
}

// Launch latencies of a stream's slices; -1: unknown.
inline std::vector<std::int64_t> launch_latencies_ns(const nlohmann::json& timeline,
                                                     const nlohmann::json& track) {
  const std::vector<std::int64_t> all_ns = slice_starts_ns(timeline);
  const std::vector<std::int64_t> starts_ns = track_starts_ns(track);
  auto other = track["launch_latency_ns"].begin();
  std::vector<std::int64_t> latencies_ns;
  std::int64_t other_ns = 0;
  std::int64_t call = 0;
  for (std::size_t i = 0; i < starts_ns.size(); ++i) {
    call += track["call"][i].get<std::int64_t>();
    latencies_ns.push_back(
        call >= 0
            ? std::max<std::int64_t>(0, starts_ns[i] - all_ns.at(static_cast<std::size_t>(call)))
            : (other_ns += (other++)->get<std::int64_t>()));
  }
  return latencies_ns;
}

}  // namespace mansard::test
