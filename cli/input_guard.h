// SPDX-License-Identifier: Apache-2.0
// Prevents a command from overwriting its own input files, even with -f.
#pragma once

#include <string>
#include <vector>

namespace mansard::cli {

struct Inputs {
  std::string what;                // for messages: "the profile itself", "the --machine model"
  std::vector<std::string> files;  // an empty name: not given
};

// Throws UsageError if `output`, the value of -o, is one of the inputs.
void require_no_input(const std::string& output, const std::vector<Inputs>& inputs);

}  // namespace mansard::cli
