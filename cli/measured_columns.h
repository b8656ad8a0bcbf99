// SPDX-License-Identifier: Apache-2.0
// What `mansard run` shows of anything that it timed.
#pragma once

#include <vector>

#include "analyzer/table.h"
#include "cli/roof_columns.h"
#include "kernels/annotation/work_annotation.h"

namespace mansard::cli {

// Something that ran once in each step.
struct Measured {
  std::vector<double> times_s;  // step by step
  double flop = 0;
  double bytes = 0;
  std::vector<kernels::WorkAnnotation> work;  // its operations, one after the other
};

void add_measured_columns(analysis::Table& table, const RoofColumns& roof);
void append_measured(std::vector<analysis::Cell>& row, const Measured& measured,
                     const RoofColumns& roof);

}  // namespace mansard::cli
