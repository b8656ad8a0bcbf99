// SPDX-License-Identifier: Apache-2.0
// What is looked at, in the same run loaded anew: a recording that has grown, or other ceilings.
#pragma once

#include "gui/models/selection_model.h"

namespace mansard::gui {

// The filter as it is; the row of the same kernel, if it is still there; and its launch, if one
// began at the same time.
ViewState carried_state(const ViewState& state, const OpenRun& from, const OpenRun& to);

}  // namespace mansard::gui
