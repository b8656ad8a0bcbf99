// SPDX-License-Identifier: Apache-2.0
// `mansard compare` of two machine models.
#pragma once

#include <string>

namespace mansard::cli {

struct CompareMachinesOptions {
  std::string baseline;
  std::string candidate;
  double gate_percent = -1;  // negative: none
  bool at_clock = false;
  std::string format = "table";
};

int compare_machines(const CompareMachinesOptions& options);  // the exit code

}  // namespace mansard::cli
