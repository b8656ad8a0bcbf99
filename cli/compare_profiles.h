// SPDX-License-Identifier: Apache-2.0
// `mansard compare` of two recordings.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace mansard::cli {

struct CompareRunsOptions {
  std::string baseline;
  std::string candidate;
  std::string step_range;
  std::string rules;
  // Allowed increases in per cent, as typed: "3" or "3%"; of classes also "gemm=3%". Not given is
  // another thing than empty, as of a variable that is not set.
  std::optional<std::string> fail_above;
  std::optional<std::string> fail_above_span;
  std::optional<std::string> fail_above_kernel;
  std::vector<std::string> fail_above_class;
  std::string format = "table";
  int rows = 20;
};

int compare_runs_command(const CompareRunsOptions& options);  // the exit code

// A fraction of what was typed for `option`: 0.03 of "3%". Throws UsageError.
double parse_percent(const std::string& text, const std::string& option);

}  // namespace mansard::cli
