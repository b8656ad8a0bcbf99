// SPDX-License-Identifier: Apache-2.0
#include "analyzer/steps/launch_calls.h"

#include <algorithm>

namespace mansard {

LaunchCalls::LaunchCalls(const Profile& profile) : profile_(profile) {
  entries_.reserve(profile.api_calls.size());
  for (std::size_t i = 0; i < profile.api_calls.size(); ++i) {
    const std::int64_t id = profile.api_calls[i].correlation_id;
    if (id != 0) entries_.push_back({id, static_cast<std::uint32_t>(i)});
  }
  const auto before = [](const Entry& a, const Entry& b) {
    return a.correlation_id != b.correlation_id ? a.correlation_id < b.correlation_id
                                                : a.call < b.call;
  };
  // Nearly always in order already: ids count calls.
  if (!std::is_sorted(entries_.begin(), entries_.end(), before)) {
    std::sort(entries_.begin(), entries_.end(), before);
  }
}

const ApiRecord* LaunchCalls::find(std::int64_t correlation_id) const {
  const auto found = std::lower_bound(
      entries_.begin(), entries_.end(), correlation_id,
      [](const Entry& entry, std::int64_t id) { return entry.correlation_id < id; });
  if (found == entries_.end() || found->correlation_id != correlation_id) return nullptr;
  return &profile_.api_calls[found->call];
}

}  // namespace mansard
