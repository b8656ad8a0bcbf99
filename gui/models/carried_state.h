// SPDX-License-Identifier: Apache-2.0
// Carries selection and filter over to the same profile loaded again: it has grown, or has other
// ceilings.
#pragma once

#include "gui/models/selection_model.h"

namespace mansard::gui {

// Keeps the filter; selects the row of the same kernel if it still exists, and the launch with the
// same start time.
ViewState carried_state(const ViewState& state, const OpenRun& from, const OpenRun& to);

}  // namespace mansard::gui
