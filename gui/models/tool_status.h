// SPDX-License-Identifier: Apache-2.0
// How a run of a tool goes, in one line.
#pragma once

#include <QString>

namespace mansard::gui {

class ToolRun;

QString status_text(const ToolRun& run);

// "0:07", "12:34", "1:02:03".
QString clock_text(double time_s);

}  // namespace mansard::gui
