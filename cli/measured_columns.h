// SPDX-License-Identifier: Apache-2.0
// The columns that `mansard run` shows for everything it times.
#pragma once

#include <vector>

#include "analyzer/table.h"
#include "cli/sol_columns.h"
#include "kernels/annotation/work_annotation.h"

namespace mansard::cli {

// A measured piece of work that runs once per step.
struct Measured {
  std::vector<double> times_s;  // one per step
  double flop = 0;
  double bytes = 0;
  std::vector<kernels::WorkAnnotation> work;  // its operations, in order
};

void add_measured_columns(analysis::Table& table, const SolColumns& roof);
void append_measured(std::vector<analysis::Cell>& row, const Measured& measured,
                     const SolColumns& roof);

}  // namespace mansard::cli
