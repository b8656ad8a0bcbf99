// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gui/options.h"

namespace mansard {

class MainWindow;

// Waits until every document is loaded or has failed, applies --select, --filter and --view, and
// writes the window. Returns the exit code: 1, with the reason on stderr, when a file could not be
// shown or the picture not be written.
int take_screenshot(MainWindow& window, const GuiOptions& options);

}  // namespace mansard
