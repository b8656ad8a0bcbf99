// SPDX-License-Identifier: Apache-2.0
// With -f an output replaces what is there, but never what the command reads.
#pragma once

#include <string>
#include <vector>

namespace mansard::cli {

struct Inputs {
  std::string what;  // as the user named them: "the recording", "the model of --machine"
  std::vector<std::string> files;  // those that are empty are not given
};

// Throws UsageError naming what `output`, given by -o, is besides.
void require_no_input(const std::string& output, const std::vector<Inputs>& inputs);

}  // namespace mansard::cli
