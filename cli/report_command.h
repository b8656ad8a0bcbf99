// SPDX-License-Identifier: Apache-2.0
// The `mansard report` command for what a command has just printed as text, to suggest next.
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

// Quoted for a shell; empty fields are left out.
std::string to_text(const ReportCommand& report);

}  // namespace mansard::cli
