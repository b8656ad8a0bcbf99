// SPDX-License-Identifier: Apache-2.0
#include "analyzer/ranks/collective_keys.h"

#include <algorithm>

namespace mansard::analysis {

CollectiveKeys::CollectiveKeys(const std::vector<RankSummary>& ranks) {
  std::map<std::string, std::int32_t> ids;
  keys_.resize(ranks.size());
  launches_.resize(ranks.size());
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    const RankSummary& summary = ranks[rank];
    std::vector<std::int32_t> name_of(summary.collectives.size());
    for (const RankCollective& collective : summary.collectives) {
      const auto [at, added] =
          ids.try_emplace(collective.name, static_cast<std::int32_t>(names_.size()));
      if (added) names_.push_back(collective.name);
      name_of[static_cast<std::size_t>(collective.id)] = at->second;
      launches_[rank][at->second] = collective.launches;
    }
    for (std::size_t i = 0; i < summary.samples.size(); ++i) {
      const CollectiveSample& sample = summary.samples[i];
      keys_[rank].push_back(
          {name_of[static_cast<std::size_t>(sample.collective)], sample.launch, i});
    }
    std::ranges::sort(keys_[rank], {},
                      [](const Key& key) { return std::pair(key.name, key.launch); });
  }
}

std::int64_t CollectiveKeys::launches(std::size_t rank, std::int32_t name) const {
  const auto found = launches_[rank].find(name);
  return found == launches_[rank].end() ? 0 : found->second;
}

}  // namespace mansard::analysis
