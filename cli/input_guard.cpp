// SPDX-License-Identifier: Apache-2.0
#include "cli/input_guard.h"

#include <filesystem>

#include "cli/command.h"

namespace mansard::cli {

void require_no_input(const std::string& output, const std::vector<Inputs>& inputs) {
  if (output.empty()) return;
  for (const Inputs& input : inputs) {
    for (const std::string& file : input.files) {
      std::error_code missing;
      if (!std::filesystem::equivalent(file, output, missing)) continue;
      throw UsageError("-o " + output + " is " + input.what +
                       ", which would be overwritten; choose another output file");
    }
  }
}

}  // namespace mansard::cli
