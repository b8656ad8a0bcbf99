// SPDX-License-Identifier: Apache-2.0
// Launch-bound phases: kernels so short that the device waits for the next launch.
#include <algorithm>
#include <map>

#include "analyzer/advice/advice.h"
#include "analyzer/advice/device_order.h"
#include "support/units.h"

namespace mansard::analysis {

namespace {

// Shorter kernels take less time than the launch of the next one (arXiv 2009.04598).
constexpr std::int64_t kShort_ns = 5'000;
constexpr std::int64_t kMany = 100;  // launches in the profile

struct LaunchGaps {
  std::int64_t short_launches = 0;
  double short_s = 0;
  double gaps_s = 0;
  std::map<std::size_t, double> gap_of_row_s;
};

// Sums the kernel-to-kernel gaps after short kernels that launches can explain. Nodes of a CUDA
// graph are launched together, so fewer launches would not close the gaps between them.
LaunchGaps gaps_after_short_kernels(const RunAnalysis& run, const RunUnit& unit) {
  struct Last {
    std::int64_t end_ns = 0;
    std::size_t kernel = kNoRow;
  };
  LaunchGaps out;
  std::map<std::int32_t, Last> last_of;  // by device
  const LaunchTable& launches = launches_of(run);
  for (std::size_t i = 0; i < run.profile.kernels.size(); ++i) {
    const store::KernelRecord& kernel = run.profile.kernels[i];
    if (!store::has_times(kernel.start_ns, kernel.end_ns)) continue;
    if (!unit.counts(kernel.device_id, kernel.start_ns)) {
      last_of.erase(kernel.device_id);
      continue;
    }
    const std::int64_t duration_ns = kernel.end_ns - kernel.start_ns;
    if (kernel.graph_node_id == 0 && duration_ns < kShort_ns) {
      ++out.short_launches;
      out.short_s += 1e-9 * static_cast<double>(duration_ns);
    }
    Last& last = last_of[kernel.device_id];
    if (last.kernel != kNoRow) {
      const store::KernelRecord& before = run.profile.kernels[last.kernel];
      const std::int64_t gap_ns = kernel.start_ns - last.end_ns;
      const bool is_short = before.end_ns - before.start_ns < kShort_ns;
      if (gap_ns > 0 && gap_ns <= kLaunchGap_ns && is_short && before.graph_node_id == 0 &&
          kernel.graph_node_id == 0) {
        out.gaps_s += 1e-9 * static_cast<double>(gap_ns);
        out.gap_of_row_s[launches.row(last.kernel)] += 1e-9 * static_cast<double>(gap_ns);
      }
    }
    if (kernel.end_ns >= last.end_ns) last = {kernel.end_ns, i};
  }
  return out;
}

}  // namespace

std::vector<Advice> advise_on_launches(const RunAnalysis& run, const RunUnit& unit) {
  const LaunchGaps gaps = gaps_after_short_kernels(run, unit);
  const double gaps_s = unit.per_unit(gaps.gaps_s);
  if (gaps.short_launches < kMany || !worth_telling(gaps_s, run, unit)) return {};
  Advice advice;
  advice.id = "launches";
  advice.title = "Launch-bound: many short kernels";
  advice.text = format_count(unit.per_unit(static_cast<double>(gaps.short_launches))) +
                " kernels per " + std::string(unit.name()) + " take less than 5 µs each, " +
                format_si(unit.per_unit(gaps.short_s), "s") + " in total. The GPU then waits " +
                format_si(gaps_s, "s") + " for the next launch.";
  advice.remedy = "Use CUDA graphs, or fuse kernels.";
  advice.saving_s = gaps_s;
  advice.idle_saving_s = gaps_s;
  advice.concerned_s = unit.per_unit(gaps.short_s);
  std::vector<std::pair<double, std::size_t>> rows;
  for (const auto& [row, gap_s] : gaps.gap_of_row_s) {
    if (row != kNoRow) rows.emplace_back(-gap_s, row);
  }
  std::sort(rows.begin(), rows.end());
  for (const auto& [gap_s, row] : rows) advice.rows.push_back(row);
  return {std::move(advice)};
}

}  // namespace mansard::analysis
