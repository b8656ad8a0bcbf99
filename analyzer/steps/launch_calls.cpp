// SPDX-License-Identifier: Apache-2.0
#include "analyzer/steps/launch_calls.h"

#include <algorithm>

namespace mansard::analysis {
namespace {

// A table may be so many times as long as there are calls: it is then no larger than the entries.
constexpr std::uint64_t kSparse = 4;

}  // namespace

LaunchCalls::LaunchCalls(const store::Profile& profile) : profile_(profile) {
  std::int64_t least = INT64_MAX;
  std::int64_t most = INT64_MIN;
  for (const store::ApiRecord& call : profile.api_calls) {
    if (call.correlation_id == 0) continue;
    least = std::min(least, call.correlation_id);
    most = std::max(most, call.correlation_id);
  }
  if (least > most) return;
  const std::uint64_t span = static_cast<std::uint64_t>(most) - static_cast<std::uint64_t>(least);
  if (span / kSparse < profile.api_calls.size()) {
    least_id_ = least;
    table_.assign(static_cast<std::size_t>(span) + 1, kNone);
    for (std::size_t i = profile.api_calls.size(); i-- > 0;) {
      const std::int64_t id = profile.api_calls[i].correlation_id;
      if (id != 0) table_[static_cast<std::size_t>(id - least)] = static_cast<std::uint32_t>(i);
    }
    return;
  }
  entries_.reserve(profile.api_calls.size());
  for (std::size_t i = 0; i < profile.api_calls.size(); ++i) {
    const std::int64_t id = profile.api_calls[i].correlation_id;
    if (id != 0) entries_.push_back({id, static_cast<std::uint32_t>(i)});
  }
  const auto before = [](const Entry& a, const Entry& b) {
    return a.correlation_id != b.correlation_id ? a.correlation_id < b.correlation_id
                                                : a.call < b.call;
  };
  if (!std::is_sorted(entries_.begin(), entries_.end(), before)) {
    std::sort(entries_.begin(), entries_.end(), before);
  }
}

std::optional<std::uint32_t> LaunchCalls::number_of(std::int64_t correlation_id) const {
  if (!table_.empty()) {
    const std::uint64_t at =
        static_cast<std::uint64_t>(correlation_id) - static_cast<std::uint64_t>(least_id_);
    if (at >= table_.size() || table_[at] == kNone) return std::nullopt;
    return table_[at];
  }
  const auto found = std::lower_bound(
      entries_.begin(), entries_.end(), correlation_id,
      [](const Entry& entry, std::int64_t id) { return entry.correlation_id < id; });
  if (found == entries_.end() || found->correlation_id != correlation_id) {
    return std::nullopt;
  }
  return found->call;
}

std::optional<store::ApiRecord> LaunchCalls::find(std::int64_t correlation_id) const {
  const std::optional<std::uint32_t> call = number_of(correlation_id);
  if (!call) return std::nullopt;
  return profile_.api_calls[*call];
}

}  // namespace mansard::analysis
