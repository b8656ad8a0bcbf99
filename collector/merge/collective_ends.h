// SPDX-License-Identifier: Apache-2.0
// Collectives as common events of the ranks of a job: none of its kernels can end before the last
// rank has given its part, so that all end within some microseconds, however unequal their starts
// are.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "collector/store/sqlite.h"

namespace mansard::collector {

// Ends of one rank's collectives by kernel name, in the order of their starts.
using CollectiveEnds = std::map<std::string, std::vector<std::int64_t>>;

// AllReduce, AllGather, ReduceScatter and AlltoAll of NCCL. Times are the recording's plus
// `start_utc_ns`. Broadcasts and sends are left out: one rank may be done long before the other.
CollectiveEnds collective_ends(store::Database& database, std::int64_t start_utc_ns);

struct MatchedCollectives {
  // The ends of one collective, by rank; collectives in the order of the first rank's ends.
  std::vector<std::vector<std::int64_t>> ends_ns;
  // Kernel names that some rank launched more often than another: which belong together is not
  // known.
  std::vector<std::string> uneven;
};

// By name and order.
MatchedCollectives match_collectives(const std::vector<CollectiveEnds>& ranks);

}  // namespace mansard::collector
