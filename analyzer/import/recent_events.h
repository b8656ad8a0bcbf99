// SPDX-License-Identifier: Apache-2.0
// Whether an event has been in the trace before, in bounded memory: of those that fall on the same
// place the newest is kept, so that a repetition within some 100,000 events is hardly ever missed,
// and one far away may be.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "analyzer/import/trace_event.h"

namespace mansard {

class RecentEvents {
 public:
  // Adds the event; true: it was there.
  bool repeats(const TraceEvent& e) {
    std::uint64_t hash = std::hash<std::string_view>{}(e.name);
    const auto mix = [&hash](std::uint64_t value) {
      hash = (hash ^ value) * 0x9E3779B97F4A7C15u;
      hash ^= hash >> 29;
    };
    mix(std::hash<std::string_view>{}(e.category));
    for (const std::optional<std::int64_t>& value :
         {e.pid.number, e.tid.number, e.start_ns, e.duration_ns, e.correlation, e.external_id,
          e.stream, e.graph_node_id}) {
      mix(static_cast<std::uint64_t>(value.value_or(-1)));
    }
    std::uint64_t& place = places_[hash & (places_.size() - 1)];
    if (place == hash) return true;
    place = hash;
    return false;
  }

 private:
  std::vector<std::uint64_t> places_ = std::vector<std::uint64_t>(std::size_t{1} << 20);
};

}  // namespace mansard
