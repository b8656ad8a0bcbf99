// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gui/options.h"

namespace mansard::gui {

class MainWindow;
class RunPage;

// What the command line asks of a page whose run is there: --select and --filter.
void show_asked(RunPage& page, const GuiOptions& options);
// The same once each page of the window has loaded, and --view of the one in front.
void show_asked_later(MainWindow& window, const GuiOptions& options);

// Waits until every document is loaded or has failed, applies --select, --filter and --view, and
// writes the window. Returns the exit code: 1, with the reason on stderr, when a file could not be
// shown or the picture not be written.
int take_screenshot(MainWindow& window, const GuiOptions& options);

}  // namespace mansard::gui
