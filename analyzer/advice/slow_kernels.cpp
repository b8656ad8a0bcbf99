// SPDX-License-Identifier: Apache-2.0
// Kernels far from the speed of light of their work, where much time is to be had.
#include <algorithm>
#include <cstdio>

#include "analyzer/advice/advice.h"
#include "kernels/vocabulary/units.h"

namespace mansard {

namespace {

constexpr double kFar = 1.5;          // cost over speed of light
constexpr std::size_t kMostRows = 5;  // the rest is in the kernel table

std::string what_helps(const KernelRow& row) {
  switch (row.limit.bound) {
    case Bound::compute:
      return " Look for a larger tile, a shape that fills the SMs, or another library's kernel.";
    case Bound::bandwidth:
      return " Look at how it reads memory, and at how many blocks it keeps in flight.";
    case Bound::launch:
    case Bound::unknown:
      break;
  }
  return "";
}

}  // namespace

std::vector<Advice> advise_on_slow_kernels(const RunAnalysis& run) {
  std::vector<std::pair<double, std::size_t>> slow;
  for (std::size_t i = 0; i < run.rows.size(); ++i) {
    const KernelRow& row = run.rows[i];
    if (!row.inefficiency || *row.inefficiency < kFar) continue;
    const double at_stake_s = row.cost_s - row.limit.time_s;
    if (at_stake_s >= kWorthTelling * run.span_s) slow.emplace_back(-at_stake_s, i);
  }
  std::sort(slow.begin(), slow.end());
  if (slow.size() > kMostRows) slow.resize(kMostRows);
  std::vector<Advice> out;
  for (const auto& [negative_s, i] : slow) {
    const KernelRow& row = run.rows[i];
    char times[32];
    std::snprintf(times, sizeof times, "%.2f", *row.inefficiency);
    Advice advice;
    advice.id = "slow_kernel";
    advice.title = row.short_name + " is far from the speed of light";
    advice.text = "It takes " + format_si(row.time_s, "s") + " in " + std::to_string(row.launches) +
                  " launches, " + times + " times what " + row.limit.bound_label + " allows." +
                  what_helps(row);
    advice.at_stake_s = -negative_s;
    advice.concerned_s = row.time_s;
    advice.rows = {i};
    out.push_back(std::move(advice));
  }
  return out;
}

}  // namespace mansard
