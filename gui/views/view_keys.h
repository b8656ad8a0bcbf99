// SPDX-License-Identifier: Apache-2.0
#pragma once

class QKeyEvent;

namespace mansard::gui {

class RunView;
class SelectionModel;

// Whether Control, Alt or Meta is held: such keys belong to the window, not to a view.
bool is_shortcut(const QKeyEvent& event);

// Keys common to all views: 0 and Home reset the view, Esc clears the selection. Returns false for
// other keys.
bool handle_view_key(RunView& view, SelectionModel& selection, const QKeyEvent& event);

}  // namespace mansard::gui
