// SPDX-License-Identifier: Apache-2.0
#include "analyzer/ranks/step_grids.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mansard::analysis {
namespace {

StepGrid grid_of(const JobRanks& job, std::vector<std::int64_t> steps) {
  std::ranges::sort(steps);
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  StepGrid grid;
  grid.steps = std::move(steps);
  grid.ranks = job.ranks.size();
  grid.values_s.assign(grid.ranks * grid.steps.size(), std::numeric_limits<float>::quiet_NaN());
  return grid;
}

// Null if the step has no column.
float* cell(StepGrid& grid, std::size_t rank, std::int64_t step) {
  const auto at = std::ranges::lower_bound(grid.steps, step);
  if (at == grid.steps.end() || *at != step) return nullptr;
  return &grid.values_s[rank * grid.steps.size() +
                        static_cast<std::size_t>(at - grid.steps.begin())];
}

}  // namespace

StepGrid arrival_grid(const JobRanks& job) {
  std::vector<std::int64_t> steps;
  for (const StepArrival& arrival : job.arrivals.steps) steps.push_back(arrival.step);
  StepGrid grid = grid_of(job, std::move(steps));
  grid.title = "Arrival skew";
  grid.meaning = "start of the sampled collectives of a step, after the first rank's";
  for (const StepArrival& arrival : job.arrivals.steps) {
    *cell(grid, arrival.rank, arrival.step) = static_cast<float>(
        1e-9 * static_cast<double>(arrival.late_ns) / static_cast<double>(arrival.collectives));
  }
  return grid;
}

StepGrid own_time_grid(const JobRanks& job) {
  std::vector<std::int64_t> steps;
  for (const JobStep& step : job.steps) steps.push_back(step.number);
  StepGrid grid = grid_of(job, std::move(steps));
  grid.title = "Own time";
  grid.meaning = "own time of a step, difference to the median rank";
  for (const JobRank& rank : job.ranks) {
    if (!rank.compared) continue;
    for (const RankStep& step : job.summaries[rank.index].step_samples) {
      float* value = cell(grid, rank.index, step.number);
      if (value != nullptr) *value = static_cast<float>(1e-9 * static_cast<double>(step.own_ns()));
    }
  }
  for (std::size_t column = 0; column < grid.steps.size(); ++column) {
    for (std::size_t rank = 0; rank < grid.ranks; ++rank) {
      grid.values_s[rank * grid.steps.size() + column] -=
          static_cast<float>(job.steps[column].own_median_s);
    }
  }
  return grid;
}

double full_scale_s(const StepGrid& grid) {
  constexpr double kBelow = 0.995;
  const auto quantile_of = [](std::vector<float>& values, double share) {
    const auto at = values.begin() +
                    static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
    std::ranges::nth_element(values, at);
    return static_cast<double>(*at);
  };
  std::vector<float> known;
  double full_s = 0;
  for (std::size_t rank = 0; rank < grid.ranks; ++rank) {
    std::vector<float> of_rank;
    for (std::size_t column = 0; column < grid.steps.size(); ++column) {
      const float value = grid.at(rank, column);
      if (!std::isnan(value)) of_rank.push_back(value);
    }
    known.insert(known.end(), of_rank.begin(), of_rank.end());
    if (!of_rank.empty()) full_s = std::max(full_s, quantile_of(of_rank, 0.5));
  }
  return known.empty() ? 0 : std::max(full_s, quantile_of(known, kBelow));
}

}  // namespace mansard::analysis
