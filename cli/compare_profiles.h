// SPDX-License-Identifier: Apache-2.0
// `mansard compare` for two profiles.
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
  // Allowed increases in percent, as typed: "3" or "3%"; for classes also "gemm=3%". nullopt: not
  // given. An empty value, such as an unset shell variable, is an error.
  std::optional<std::string> fail_above;
  std::optional<std::string> fail_above_time;
  std::optional<std::string> fail_above_kernel;
  std::vector<std::string> fail_above_class;
  std::string format = "table";
  bool all = false;  // print all tables
  int rows = 20;
};

// Returns the exit code.
int compare_runs_command(const CompareRunsOptions& options);

// Returns the fraction that `text`, the value of `option`, stands for: 0.03 for "3%". Throws
// UsageError.
double parse_percent(const std::string& text, const std::string& option);

}  // namespace mansard::cli
