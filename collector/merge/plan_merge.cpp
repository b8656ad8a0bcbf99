// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <stdexcept>

#include "collector/merge/merge.h"

namespace mansard::collector {
namespace {

// Ends of one collective are some microseconds apart, with many hosts some tens. Kernels that only
// share a name and a place are as far apart as steps are unequal.
constexpr double kSimultaneous_ns = 1e6;

std::string counts(const MergedRecording& merged) {
  std::string text;
  for (const RankRecording& rank : merged.ranks) {
    std::size_t collectives = 0;
    for (const auto& [name, ends] : rank.collectives) collectives += ends.size();
    text += (text.empty() ? "" : ", ") + std::to_string(collectives) + " in " +
            rank.file.filename().string();
  }
  return text;
}

}  // namespace

MergedRecording plan_merge(const std::vector<std::filesystem::path>& files) {
  if (files.size() < 2) throw std::runtime_error("a merge needs two recordings or more");
  MergedRecording merged;
  for (const std::filesystem::path& file : files) merged.ranks.push_back(read_rank(file));
  sort_and_check(merged.ranks);
  std::vector<CollectiveEnds> ends;
  for (const RankRecording& rank : merged.ranks) ends.push_back(rank.collectives);
  MatchedCollectives matched = match_collectives(ends);
  merged.collectives = matched.ends_ns.size();
  merged.uneven = std::move(matched.uneven);
  try {
    merged.alignment = align_clocks(matched.ends_ns);
  } catch (const std::runtime_error& error) {
    std::string why = error.what();
    why += " (NCCL's collectives: " + counts(merged) + ").";
    if (!merged.uneven.empty()) {
      why += " Not every rank launched " + merged.uneven.front() +
             " as often: record all ranks from start to end, or the same steps of each.";
    }
    throw std::runtime_error(why);
  }
  if (merged.alignment.median_residual_ns > kSimultaneous_ns) {
    char residual[40];
    std::snprintf(residual, sizeof residual, "%.3g ms", 1e-6 * merged.alignment.median_residual_ns);
    throw std::runtime_error(
        "the clocks of the ranks cannot be aligned: collectives that should end together end " +
        std::string(residual) +
        " apart in the median. The recordings may be of different runs, or of ranks that are not "
        "in one group.");
  }
  return merged;
}

}  // namespace mansard::collector
