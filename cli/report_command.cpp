// SPDX-License-Identifier: Apache-2.0
#include "cli/report_command.h"

#include "collector/launch/launch.h"
#include "support/text.h"

namespace mansard::cli {

std::string to_text(const ReportCommand& report) {
  std::vector<std::string> words = {"mansard", "report"};
  words.insert(words.end(), report.profiles.begin(), report.profiles.end());
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) words.insert(words.end(), {option, value});
  };
  add("--baseline", report.baseline);
  for (const std::string& machine : report.machines) add("--machine", machine);
  add("--rules", report.rules);
  add("--step-range", report.step_range);
  add("--title", report.title);
  add("-o", report.output);
  return join_command(words);
}

}  // namespace mansard::cli
