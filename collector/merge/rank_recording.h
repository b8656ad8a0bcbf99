// SPDX-License-Identifier: Apache-2.0
// One rank's profile, as an input of a merge.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "collector/merge/collective_ends.h"
#include "collector/store/profile.h"

namespace mansard::collector {

struct RankHead {
  std::filesystem::path file;
  store::SessionInfo session;
  int world_size = 0;         // number of ranks of the job; 0: not recorded
  std::string process_scope;  // its machine and process namespace, in which pids are unique
  std::int64_t process_start_ticks = 0;

  // Boot of the machine. Profiles from one boot share a clock.
  std::string_view boot() const {
    return std::string_view(process_scope).substr(0, process_scope.find(' '));
  }
};

struct RankProfile : RankHead {
  std::int64_t first_ns = 0;  // first event, on the rank's clock (UTC)
  std::int64_t last_ns = 0;
  CollectiveEnds collectives;
};

// Throws std::runtime_error if the file is not the complete or interrupted profile of a rank,
// written by Mansard.
RankHead read_rank_head(const std::filesystem::path& file);

// Likewise, also if the profile has no events.
RankProfile read_rank(const std::filesystem::path& file);

// Sorts by rank. Throws std::runtime_error if two profiles are from the same rank, the same
// process, or different jobs.
void sort_and_check(std::vector<RankProfile>& ranks);

}  // namespace mansard::collector
