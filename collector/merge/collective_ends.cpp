// SPDX-License-Identifier: Apache-2.0
#include "collector/merge/collective_ends.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <string_view>

namespace mansard::collector {

bool ends_together(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (name.find("nccl") == std::string::npos) return false;
  constexpr std::array kSynchronizing = {"allreduce", "allgather", "reducescatter", "alltoall"};
  return std::any_of(kSynchronizing.begin(), kSynchronizing.end(), [&](const char* operation) {
    return name.find(operation) != std::string::npos;
  });
}

CollectiveEnds collective_ends(store::Database& database, std::int64_t start_utc_ns) {
  CollectiveEnds ends;
  if (!database.has_table("CUPTI_ACTIVITY_KIND_KERNEL") || !database.has_table("StringIds")) {
    return ends;
  }
  store::Statement names =
      database.prepare("SELECT id, value FROM StringIds WHERE value LIKE '%nccl%'");
  store::Statement kernels = database.prepare(
      "SELECT \"end\" FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE demangledName = ? ORDER BY start");
  while (names.step()) {
    const std::string name = names.text(1);
    if (!ends_together(name)) continue;
    kernels.reset();
    kernels.bind(1, names.integer(0));
    std::vector<std::int64_t> of_name;
    while (kernels.step()) of_name.push_back(start_utc_ns + kernels.integer(0));
    if (!of_name.empty()) ends[name] = std::move(of_name);
  }
  return ends;
}

MatchedCollectives match_collectives(const std::vector<CollectiveEnds>& ranks) {
  std::set<std::string> names;
  for (const CollectiveEnds& rank : ranks) {
    for (const auto& [name, ends] : rank) names.insert(name);
  }
  MatchedCollectives matched;
  for (const std::string& name : names) {
    const auto count = [&](const CollectiveEnds& rank) {
      const auto at = rank.find(name);
      return at == rank.end() ? std::size_t{0} : at->second.size();
    };
    const std::size_t of_first = count(ranks.front());
    if (!std::all_of(ranks.begin(), ranks.end(),
                     [&](const CollectiveEnds& rank) { return count(rank) == of_first; })) {
      matched.uneven.push_back(name);
      continue;
    }
    for (std::size_t i = 0; i < of_first; ++i) {
      std::vector<std::int64_t>& ends = matched.ends_ns.emplace_back();
      for (const CollectiveEnds& rank : ranks) ends.push_back(rank.at(name)[i]);
    }
  }
  std::sort(matched.ends_ns.begin(), matched.ends_ns.end());
  return matched;
}

}  // namespace mansard::collector
