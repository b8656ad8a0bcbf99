// SPDX-License-Identifier: Apache-2.0
#include "analyzer/launch_table.h"

#include <algorithm>

#include "analyzer/run_analysis.h"

namespace mansard::analysis {
namespace {

// Largest table size per call: up to here the table is no larger than the sorted entries.
constexpr std::uint64_t kSparse = 4;

std::optional<LaunchKind> kind_of(RowKind kind) {
  switch (kind) {
    case RowKind::kernel:
      return LaunchKind::kernel;
    case RowKind::memcpy:
      return LaunchKind::memcpy;
    case RowKind::memset:
      return LaunchKind::memset;
    case RowKind::host_range:
      return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

CallIndex::CallIndex(const store::RecordList<store::ApiRecord>& calls) {
  std::int64_t least = INT64_MAX;
  std::int64_t most = INT64_MIN;
  for (const store::ApiRecord& call : calls) {
    if (call.correlation_id == 0) continue;
    least = std::min(least, call.correlation_id);
    most = std::max(most, call.correlation_id);
  }
  if (least > most) return;
  const std::uint64_t span = static_cast<std::uint64_t>(most) - static_cast<std::uint64_t>(least);
  if (span / kSparse < calls.size()) {
    least_id_ = least;
    table_.assign(static_cast<std::size_t>(span) + 1, kNone);
    for (std::size_t i = calls.size(); i-- > 0;) {
      const std::int64_t id = calls[i].correlation_id;
      if (id != 0) table_[static_cast<std::size_t>(id - least)] = static_cast<std::uint32_t>(i);
    }
    return;
  }
  entries_.reserve(calls.size());
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const std::int64_t id = calls[i].correlation_id;
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

std::optional<std::size_t> CallIndex::find(std::int64_t correlation_id) const {
  if (correlation_id == 0) return std::nullopt;
  if (!table_.empty()) {
    const std::uint64_t at =
        static_cast<std::uint64_t>(correlation_id) - static_cast<std::uint64_t>(least_id_);
    if (at >= table_.size() || table_[at] == kNone) return std::nullopt;
    return table_[at];
  }
  const auto found = std::lower_bound(
      entries_.begin(), entries_.end(), correlation_id,
      [](const Entry& entry, std::int64_t id) { return entry.correlation_id < id; });
  if (found == entries_.end() || found->correlation_id != correlation_id) return std::nullopt;
  return found->call;
}

LaunchTable::LaunchTable(const store::Profile& profile) : calls_(profile.api_calls) {
  const auto add = [&](LaunchKind kind, const auto& records) {
    for (std::size_t i = 0; i < records.size(); ++i) {
      const std::optional<std::size_t> call = calls_.find(records[i].correlation_id);
      call_.push_back(call ? static_cast<std::uint32_t>(*call) : kNone);
    }
    first_[static_cast<std::size_t>(kind) + 1] = call_.size();
  };
  call_.reserve(profile.kernels.size() + profile.memcpys.size() + profile.memsets.size() +
                profile.graphs.size());
  add(LaunchKind::kernel, profile.kernels);
  add(LaunchKind::memcpy, profile.memcpys);
  add(LaunchKind::memset, profile.memsets);
  add(LaunchKind::graph, profile.graphs);
}

void LaunchTable::set_rows(const std::vector<KernelRow>& rows) {
  row_.assign(size(), kNone);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::optional<LaunchKind> kind = kind_of(rows[i].kind);
    if (!kind) continue;
    const auto row = static_cast<std::uint32_t>(i);
    for (const std::size_t record : rows[i].launch_indices) row_[of(*kind, record)] = row;
    for (const std::size_t record : rows[i].disturbed_indices) row_[of(*kind, record)] = row;
  }
}

LaunchKind LaunchTable::kind(std::size_t launch) const {
  std::size_t kind = 0;
  while (launch >= first_[kind + 1]) ++kind;
  return static_cast<LaunchKind>(kind);
}

std::vector<std::uint32_t> LaunchTable::in_call_order() const {
  std::vector<std::uint32_t> launches;
  launches.reserve(call_.size());
  for (std::size_t i = 0; i < call_.size(); ++i) {
    if (call_[i] != kNone) launches.push_back(static_cast<std::uint32_t>(i));
  }
  std::ranges::stable_sort(launches, {}, [&](std::uint32_t launch) { return call_[launch]; });
  return launches;
}

const LaunchTable& LaunchTableMemo::get(const RunAnalysis& run) {
  std::call_once(once_, [&] {
    if (!has_calls_) table_ = LaunchTable(run.profile);
    table_.set_rows(run.rows);
  });
  return table_;
}

std::shared_ptr<LaunchTableMemo> make_launch_memo() { return std::make_shared<LaunchTableMemo>(); }

const LaunchTable& launches_of(const RunAnalysis& run) { return run.launch_memo->get(run); }

}  // namespace mansard::analysis
