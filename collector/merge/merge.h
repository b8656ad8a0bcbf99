// SPDX-License-Identifier: Apache-2.0
// Merges the profiles of the ranks of one job into one profile, on one clock.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "collector/merge/clock_alignment.h"
#include "collector/merge/rank_recording.h"

namespace mansard::collector {

struct MergedProfile {
  std::vector<RankProfile> ranks;  // by rank
  ClockAlignment alignment;
  std::size_t collectives = 0;      // common to all ranks
  std::vector<std::string> uneven;  // kernel names that could not be matched
};

// Plans a merge of `files` without writing. Throws std::runtime_error if the profiles do not belong
// together or their clocks cannot be aligned.
MergedProfile plan_merge(const std::vector<std::filesystem::path>& files);

// Writes the merged profile to `output`, replacing an existing file.
void write_merged(const MergedProfile& merged, const std::filesystem::path& output);

}  // namespace mansard::collector
