// SPDX-License-Identifier: Apache-2.0
#include "gui/models/shown_launches.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "analyzer/attribution/launched_in.h"
#include "analyzer/attribution/range_stacks.h"
#include "gui/models/kernel_filter.h"

namespace mansard::gui {
namespace {

constexpr std::size_t kBetweenChecks = 1 << 16;  // about one millisecond

std::vector<bool> streams_that_pass(const LaunchColumns& launches, const ViewFilter& filter) {
  std::vector<bool> pass;
  for (const StreamKey& stream : launches.streams) {
    pass.push_back((!filter.device_id || stream.device_id == *filter.device_id) &&
                   (!filter.stream || stream == *filter.stream));
  }
  return pass;
}

// By launch; empty without a range filter. An annotated host range is inside itself.
std::vector<bool> launches_in_range(const OpenRun& run, const ViewFilter& filter,
                                    const store::LoadControl& control) {
  if (filter.range.isEmpty()) return {};
  const store::Profile& profile = run.analysis.profile;
  if (run.launches.record.empty()) {
    return analysis::launched_in(
        profile, analysis::launches_of(run.analysis), run.ranges,
        [&](std::string_view name) { return matches_range(filter, name); }, control);
  }
  std::vector<bool> inside;
  for (const std::uint32_t record : run.launches.record) {
    inside.push_back(matches_range(filter, analysis::range_name(profile, profile.nvtx[record])));
  }
  return inside;
}

// For a first look: filtered by rows only; other filters need the launches.
ShownLaunches shown_rows(const analysis::RunAnalysis& run, const ViewFilter& filter) {
  ShownLaunches shown = all_launches(run);
  const std::vector<bool> pass = rows_that_pass(run, filter);
  for (std::size_t row = 0; row < pass.size(); ++row) {
    if (pass[row]) continue;
    shown.total_launches -= std::exchange(shown.launches[row], 0);
    shown.total_s -= std::exchange(shown.time_s[row], 0);
  }
  return shown;
}

}  // namespace

std::vector<bool> rows_that_pass(const analysis::RunAnalysis& run, const ViewFilter& filter) {
  const KernelFilter words(filter.words);
  const analysis::OperationClass operation_class = filter.operation_class.toStdString();
  std::vector<bool> pass;
  pass.reserve(run.rows.size());
  for (const analysis::KernelRow& row : run.rows) {
    pass.push_back((operation_class.empty() || row.operation_class == operation_class) &&
                   words.matches(row));
  }
  return pass;
}

analysis::KernelEntry shown_entry(const analysis::RunAnalysis& run, const ShownLaunches& shown,
                                  std::size_t row) {
  analysis::KernelEntry entry(run.rows[row]);
  entry.totals.launches = shown.launches[row];
  entry.totals.time_s = shown.time_s[row];
  entry.totals.share = shown.share(row);
  return entry;
}

ShownLaunches all_launches(const analysis::RunAnalysis& run) {
  ShownLaunches shown;
  for (const analysis::KernelRow& row : run.rows) {
    shown.launches.push_back(row.launches);
    shown.time_s.push_back(row.time_s);
    shown.total_launches += row.launches;
    shown.total_s += row.time_s;
  }
  return shown;
}

ShownLaunches shown_launches(const OpenRun& run, const ViewFilter& filter,
                             const store::LoadControl& control) {
  if (filter.passes_all()) return all_launches(run.analysis);
  if (run.is_first_look) return shown_rows(run.analysis, filter);
  const LaunchColumns& launches = run.launches;
  const std::vector<bool> rows = rows_that_pass(run.analysis, filter);
  const std::vector<bool> streams = streams_that_pass(launches, filter);
  const std::vector<bool> in_range = launches_in_range(run, filter, control);
  const figure::TimeSpan window = filter.window.value_or(figure::TimeSpan{
      std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()});

  ShownLaunches shown;
  shown.launches.resize(run.analysis.rows.size());
  shown.passes.resize(launches.size());
  std::vector<std::int64_t> time_ns(run.analysis.rows.size());
  for (std::size_t i = 0; i < launches.size(); ++i) {
    if (i % kBetweenChecks == 0) control.check();
    const std::uint32_t row = launches.row[i];
    if (row == LaunchColumns::kNoRow || !rows[row] || !streams[launches.stream[i]]) continue;
    if (!in_range.empty() && !in_range[i]) continue;
    const std::int64_t start_ns = launches.start_ns[i];
    const std::int64_t end_ns = launches.end_ns[i];
    // A launch of zero length counts if it is inside the window.
    const bool overlaps =
        start_ns < window.end_ns && (end_ns > window.start_ns || start_ns >= window.start_ns);
    if (!overlaps) continue;
    shown.passes[i] = true;
    ++shown.launches[row];
    time_ns[row] += std::min(end_ns, window.end_ns) - std::max(start_ns, window.start_ns);
  }
  // Memory operations are not launches; the ranges that issued them are unknown.
  if (filter.range.isEmpty()) {
    const store::Profile& profile = run.analysis.profile;
    const auto add = [&](std::size_t row, const auto& r) {
      const StreamKey stream{r.device_id, r.context_id, r.stream_id};
      if ((filter.device_id && *filter.device_id != r.device_id) ||
          (filter.stream && !(*filter.stream == stream))) {
        return;
      }
      const bool overlaps = r.start_ns < window.end_ns &&
                            (r.end_ns > window.start_ns || r.start_ns >= window.start_ns);
      if (!overlaps) return;
      ++shown.launches[row];
      time_ns[row] += std::max<std::int64_t>(
          0, std::min(r.end_ns, window.end_ns) - std::max(r.start_ns, window.start_ns));
    };
    for (std::size_t row = 0; row < run.analysis.rows.size(); ++row) {
      const analysis::KernelRow& of_row = run.analysis.rows[row];
      if (!rows[row] || !analysis::is_memory_operation(of_row)) continue;
      for (const std::uint32_t i : of_row.launch_indices) {
        if (of_row.kind == analysis::RowKind::memcpy) add(row, profile.memcpys[i]);
        if (of_row.kind == analysis::RowKind::memset) add(row, profile.memsets[i]);
      }
    }
  }
  for (std::size_t row = 0; row < time_ns.size(); ++row) {
    shown.time_s.push_back(static_cast<double>(time_ns[row]) * 1e-9);
    shown.total_launches += shown.launches[row];
    shown.total_s += shown.time_s.back();
  }
  return shown;
}

}  // namespace mansard::gui
