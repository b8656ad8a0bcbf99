// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gui/options.h"

namespace mansard::gui {

class MainWindow;
class RunPage;

// Applies --select and --filter to a page whose run is loaded.
void show_asked(RunPage& page, const GuiOptions& options);
// Applies them to each page of the window once it has loaded, and --view to the page in front.
void show_asked_later(MainWindow& window, const GuiOptions& options);

// Waits until every document is loaded or has failed, applies --select, --filter and --view, and
// saves the window. Returns the exit code: 1, with the reason on stderr, if a file could not be
// loaded or the picture could not be written.
int take_screenshot(MainWindow& window, const GuiOptions& options);

}  // namespace mansard::gui
