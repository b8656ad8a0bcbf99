// SPDX-License-Identifier: Apache-2.0
// What an exit code means, in words.
#pragma once

#include "gui/models/tool_command.h"

namespace mansard::gui {

struct ToolEnd {
  ToolCommand::Tool tool = ToolCommand::Tool::characterize;
  int exit_code = 0;     // 128 + N where signal N ended the tool, or the program that it records
  bool crashed = false;  // by a signal to the tool itself
  bool canceled = false;
  QString result;     // the file made; empty: none
  QString partial;    // what an interrupted measurement has left; empty: nothing
  QString last_said;  // by the tool; empty: nothing
};

bool is_success(const ToolEnd& end);
QString describe(const ToolEnd& end);

}  // namespace mansard::gui
