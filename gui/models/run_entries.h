// SPDX-License-Identifier: Apache-2.0
// Palette entries of a run: its kernels, ranges, classes and streams.
#pragma once

#include <vector>

#include "gui/models/palette_model.h"

namespace mansard::gui {

class SelectionModel;

// Activating an entry selects the kernel, or adds the range, class or stream to the filter. Entries
// do nothing once their run is closed or the selection is destroyed. At most the 20,000 range names
// seen first are included; the last entry then says how many are left out.
std::vector<PaletteEntry> entries_of(SelectionModel& selection);

}  // namespace mansard::gui
