// SPDX-License-Identifier: Apache-2.0
// One rank's recording, as an input of a merge.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "collector/merge/collective_ends.h"
#include "collector/store/profile.h"

namespace mansard::collector {

struct RankRecording {
  std::filesystem::path file;
  store::SessionInfo session;
  std::string process_scope;  // its machine and process namespace: within one, pids are unique
  std::int64_t process_start_ticks = 0;
  std::int64_t first_ns = 0;  // of its events, on its clock (UTC)
  std::int64_t last_ns = 0;
  CollectiveEnds collectives;
};

// Throws std::runtime_error for what is no recording of a rank by Mansard.
RankRecording read_rank(const std::filesystem::path& file);

// By rank. Throws std::runtime_error where two are of one rank, of one process, or of different
// jobs.
void sort_and_check(std::vector<RankRecording>& ranks);

}  // namespace mansard::collector
