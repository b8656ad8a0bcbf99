// SPDX-License-Identifier: Apache-2.0
// Detects duplicate events in bounded memory: a hash table where the newest event replaces an older
// one in the same slot. Duplicates within about 100,000 events are almost always found, more
// distant ones may be missed.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "collector/import/trace_event.h"
#include "support/hash.h"

namespace mansard::collector {

class RecentEvents {
 public:
  // Adds the event. Returns true if it was already there.
  bool repeats(const TraceEvent& e) {
    HashBuilder builder;
    builder.add(std::hash<std::string_view>{}(e.name));
    builder.add(std::hash<std::string_view>{}(e.category));
    for (const std::optional<std::int64_t>& value :
         {e.pid.number, e.tid.number, e.start_ns, e.duration_ns, e.correlation, e.external_id,
          e.stream, e.graph_node_id}) {
      builder.add(value.value_or(-1));
    }
    const std::uint64_t hash = builder.hash();
    std::uint64_t& place = places_[hash & (places_.size() - 1)];
    if (place == hash) return true;
    place = hash;
    return false;
  }

 private:
  std::vector<std::uint64_t> places_ = std::vector<std::uint64_t>(std::size_t{1} << 20);
};

}  // namespace mansard::collector
