// SPDX-License-Identifier: Apache-2.0
// Reads the timeline of a page (reports/web/timeline_data.h) like the page's script.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <nlohmann/json.hpp>

namespace mansard::test {

// Starts of the slices of all tracks by slice number, in nanoseconds since time zero.
inline std::vector<std::int64_t> slice_starts_ns(const nlohmann::json& timeline) {
  std::vector<std::int64_t> starts_ns;
  for (const nlohmann::json& track : timeline["tracks"]) {
    std::int64_t time_ns = 0;
    for (const nlohmann::json& step_ns : track["start_ns"]) {
      starts_ns.push_back(time_ns += step_ns.get<std::int64_t>());
    }
  }
  return starts_ns;
}

// Launch latencies of a stream's slices; -1: unknown.
inline std::vector<std::int64_t> launch_latencies_ns(const nlohmann::json& timeline,
                                                     const nlohmann::json& track) {
  const std::vector<std::int64_t> starts_ns = slice_starts_ns(timeline);
  auto other = track["launch_latency_ns"].begin();
  std::vector<std::int64_t> latencies_ns;
  std::int64_t time_ns = 0;
  std::int64_t call = 0;
  for (std::size_t i = 0; i < track["start_ns"].size(); ++i) {
    time_ns += track["start_ns"][i].get<std::int64_t>();
    call += track["call"][i].get<std::int64_t>();
    latencies_ns.push_back(
        call >= 0
            ? std::max<std::int64_t>(0, time_ns - starts_ns.at(static_cast<std::size_t>(call)))
            : (other++)->get<std::int64_t>());
  }
  return latencies_ns;
}

}  // namespace mansard::test
