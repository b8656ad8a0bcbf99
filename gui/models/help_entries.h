// SPDX-License-Identifier: Apache-2.0
// What of the documentation the palette finds: pages and their headings.
#pragma once

#include <vector>

#include "gui/models/help_pages.h"
#include "gui/models/palette_model.h"

namespace mansard::gui {

// `open` is given links as HelpWindow::open() takes them: "report.md#the-timeline".
std::vector<PaletteEntry> entries_of(const HelpPages& pages,
                                     const std::function<void(const QString&)>& open);

}  // namespace mansard::gui
