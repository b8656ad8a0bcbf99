// SPDX-License-Identifier: Apache-2.0
#include "cli/renamed_options.h"

#include <string_view>

#include "cli/output.h"

namespace mansard::cli {
namespace {

struct RenamedOption {
  std::string_view before, now;
};

constexpr RenamedOption kRenamed[] = {{"--steps-range", "--step-range"},
                                      {"--keep-operands", "--reuse-quantized"},
                                      {"--fail-above-span", "--fail-above-time"},
                                      {"--at-clock", "--at-equal-clock"}};

}  // namespace

void replace_renamed_options(std::vector<std::string>& arguments) {
  if (arguments.empty() || arguments.front() == "profile") return;
  for (std::string& argument : arguments) {
    if (argument == "--") return;
    for (const RenamedOption& option : kRenamed) {
      const std::size_t size = option.before.size();
      if (!argument.starts_with(option.before)) continue;
      if (argument.size() > size && argument[size] != '=') continue;
      argument.replace(0, size, option.now);
      say("note: " + std::string(option.before) + " is now " + std::string(option.now));
    }
  }
}

}  // namespace mansard::cli
