// SPDX-License-Identifier: Apache-2.0
#pragma once

class QKeyEvent;

namespace mansard::gui {

class RunView;
class SelectionModel;

// With Control, Alt or Meta held: a key of the window, not of a view.
bool is_shortcut(const QKeyEvent& event);

// What keys do in every view: 0 and Home show everything, Esc selects nothing. False: not one of
// them.
bool handle_view_key(RunView& view, SelectionModel& selection, const QKeyEvent& event);

}  // namespace mansard::gui
