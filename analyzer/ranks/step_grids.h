// SPDX-License-Identifier: Apache-2.0
// Values of each rank in each step of a job: the data of a heat map.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/ranks/job_ranks.h"

namespace mansard::analysis {

struct StepGrid {
  std::string title;
  std::string meaning;              // of a value
  std::vector<std::int64_t> steps;  // numbers of the columns, ascending
  std::size_t ranks = 0;            // rows, as JobRanks::ranks
  std::vector<float> values_s;      // row by row; NaN: unknown

  bool is_empty() const { return steps.empty() || ranks == 0; }
  float at(std::size_t rank, std::size_t column) const {
    return values_s[rank * steps.size() + column];
  }
};

// Mean time by which a rank starts the sampled collectives of a step after the first rank. Empty if
// the clocks are not aligned.
StepGrid arrival_grid(const JobRanks& job);

// Own time of a rank in a step, less that of the median rank. Needs no common clock. Steps that
// most ranks have; empty without steps.
StepGrid own_time_grid(const JobRanks& job);

// The largest median of a rank, so that one late rank of thousands stands out, but at least the
// value that 99.5 % of all do not exceed. Not the maximum: one step that loads data would make all
// others look alike. 0 if no value is above 0.
double full_scale_s(const StepGrid& grid);

}  // namespace mansard::analysis
