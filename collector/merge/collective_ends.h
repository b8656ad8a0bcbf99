// SPDX-License-Identifier: Apache-2.0
// Collectives as common events of the ranks of a job: no kernel of a collective can end before the
// last rank has contributed, so all end within a few µs of each other even if their starts differ.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "collector/store/sqlite.h"

namespace mansard::collector {

// Whether all kernels of a collective with this name end together: AllReduce, AllGather,
// ReduceScatter and AlltoAll of NCCL. Broadcasts and sends are excluded: one rank may finish long
// before the other.
bool ends_together(std::string kernel_name);

// Ends of one rank's collectives by kernel name, ordered by start.
using CollectiveEnds = std::map<std::string, std::vector<std::int64_t>>;

// Reads the collectives that end together. Times are those of the profile plus `start_utc_ns`.
CollectiveEnds collective_ends(store::Database& database, std::int64_t start_utc_ns);

struct MatchedCollectives {
  // The ends of each collective by rank, ordered by the ends on the first rank.
  std::vector<std::vector<std::int64_t>> ends_ns;
  // Kernel names with different launch counts per rank, which cannot be matched.
  std::vector<std::string> uneven;
};

// Matches collectives by name and order.
MatchedCollectives match_collectives(const std::vector<CollectiveEnds>& ranks);

}  // namespace mansard::collector
