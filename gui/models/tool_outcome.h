// SPDX-License-Identifier: Apache-2.0
// Describes how a tool ended, as text for the user.
#pragma once

#include "gui/models/tool_command.h"

namespace mansard::gui {

// A tool that signal N terminated has exit code kSignalExitCode + N, as in a shell.
constexpr int kSignalExitCode = 128;

struct ToolEnd {
  ToolCommand::Tool tool = ToolCommand::Tool::characterize;
  int exit_code = 0;  // kSignalExitCode + N if signal N terminated the tool or the profiled program
  bool crashed = false;  // the tool itself was terminated by a signal
  bool canceled = false;
  QString result;     // the output file; empty: none
  QString partial;    // partial file of an interrupted measurement; empty: none
  QString last_said;  // last message of the tool; empty: none
};

bool is_success(const ToolEnd& end);
QString describe(const ToolEnd& end);

}  // namespace mansard::gui
