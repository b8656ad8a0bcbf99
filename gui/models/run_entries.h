// SPDX-License-Identifier: Apache-2.0
// What of a run the palette finds: its kernels, ranges, classes and streams.
#pragma once

#include <vector>

#include "gui/models/palette_model.h"

namespace mansard::gui {

class SelectionModel;

// A kernel is selected; the others become parts of the filter. Entries of a run that is no longer
// open, or whose selection is gone, do nothing. Of more than 20,000 names of ranges those that were
// seen first; the last entry then says how many are left out.
std::vector<PaletteEntry> entries_of(SelectionModel& selection);

}  // namespace mansard::gui
