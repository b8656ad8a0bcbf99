// SPDX-License-Identifier: Apache-2.0
// `mansard compare` for two machine models.
#pragma once

#include <string>

namespace mansard::cli {

struct CompareMachinesOptions {
  std::string baseline;
  std::string candidate;
  double gate_percent = -1;  // negative: none
  bool at_equal_clock = false;
  std::string format = "table";
};

// Returns the exit code.
int compare_machines(const CompareMachinesOptions& options);

}  // namespace mansard::cli
