// SPDX-License-Identifier: Apache-2.0
// The recordings of the ranks of one job as one, on one clock.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "collector/merge/clock_alignment.h"
#include "collector/merge/rank_recording.h"

namespace mansard::collector {

struct MergedRecording {
  std::vector<RankRecording> ranks;  // by rank
  ClockAlignment alignment;
  std::size_t collectives = 0;      // that all ranks took part in
  std::vector<std::string> uneven;  // kernel names that could not be matched
};

// What merging `files` would align, without writing. Throws std::runtime_error when the recordings
// do not belong together or their clocks cannot be aligned.
MergedRecording plan_merge(const std::vector<std::filesystem::path>& files);

// Writes the merged recording, of which `output` is the name; replaces it.
void write_merged(const MergedRecording& merged, const std::filesystem::path& output);

}  // namespace mansard::collector
