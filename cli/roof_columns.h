// SPDX-License-Identifier: Apache-2.0
// Measured times beside the least that a machine model allows for the same work.
#pragma once

#include <string>
#include <vector>

#include "analyzer/table.h"
#include "empirical_roofline/machine_model.h"
#include "kernels/annotation/work_annotation.h"

namespace mansard::cli {

class RoofColumns {
 public:
  // `machine_file` empty: no columns. Throws std::runtime_error when the model has no such device.
  RoofColumns(const std::string& machine_file, const kernels::DeviceInfo& device);

  std::vector<analysis::Column> columns() const;
  // Of work done one after the other in `time_s`; as many cells as columns.
  std::vector<analysis::Cell> cells(const std::vector<kernels::WorkAnnotation>& work,
                                    double time_s) const;

 private:
  bool wanted_;
  roofline::DeviceModel device_;
};

}  // namespace mansard::cli
