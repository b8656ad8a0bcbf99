// SPDX-License-Identifier: Apache-2.0
// The SOL columns of `mansard run`: T_sol of the same work under a machine model, and T_sol / T.
#pragma once

#include <string>
#include <vector>

#include "analyzer/table.h"
#include "empirical_roofline/machine_model.h"
#include "kernels/annotation/work_annotation.h"

namespace mansard::cli {

class SolColumns {
 public:
  // `machine_file` empty: no columns. Throws std::runtime_error if the model lacks the device.
  SolColumns(const std::string& machine_file, const kernels::DeviceInfo& device);

  std::vector<analysis::Column> columns() const;
  // Returns a cell per column for operations that ran one after the other in `time_s`.
  std::vector<analysis::Cell> cells(const std::vector<kernels::WorkAnnotation>& work,
                                    double time_s) const;

 private:
  bool wanted_;
  roofline::DeviceModel device_;
};

}  // namespace mansard::cli
