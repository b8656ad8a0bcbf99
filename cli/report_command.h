// SPDX-License-Identifier: Apache-2.0
// The command that makes a page of what a command has just shown as text.
#pragma once

#include <string>
#include <vector>

namespace mansard::cli {

struct ReportCommand {
  std::vector<std::string> profiles = {};
  std::string baseline = {};
  std::vector<std::string> machines = {};
  std::string rules = {};
  std::string step_range = {};
  std::string title = {};
  std::string output = "report.html";
};

// As a shell would need it typed; what is empty is left out.
std::string to_text(const ReportCommand& report);

}  // namespace mansard::cli
