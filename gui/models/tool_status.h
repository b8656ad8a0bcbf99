// SPDX-License-Identifier: Apache-2.0
// One-line status of a running or ended tool.
#pragma once

#include <QString>

namespace mansard::gui {

class ToolRun;

QString status_text(const ToolRun& run);

// "0:07", "12:34", "1:02:03".
QString clock_text(double time_s);

}  // namespace mansard::gui
