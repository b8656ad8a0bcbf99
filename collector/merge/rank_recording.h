// SPDX-License-Identifier: Apache-2.0
// One rank's profile, as an input of a merge.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "collector/merge/collective_ends.h"
#include "collector/store/profile.h"

namespace mansard::collector {

struct RankProfile {
  std::filesystem::path file;
  store::SessionInfo session;
  std::string process_scope;  // its machine and process namespace, in which pids are unique
  std::int64_t process_start_ticks = 0;
  std::int64_t first_ns = 0;  // first event, on the rank's clock (UTC)
  std::int64_t last_ns = 0;
  CollectiveEnds collectives;
};

// Throws std::runtime_error if the file is not a rank's profile written by Mansard.
RankProfile read_rank(const std::filesystem::path& file);

// Sorts by rank. Throws std::runtime_error if two profiles are from the same rank, the same
// process, or different jobs.
void sort_and_check(std::vector<RankProfile>& ranks);

}  // namespace mansard::collector
