// SPDX-License-Identifier: Apache-2.0
#include "gui/views/view_keys.h"

#include <QKeyEvent>

#include "gui/views/run_view.h"

namespace mansard::gui {

bool is_shortcut(const QKeyEvent& event) {
  return event.modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier);
}

bool handle_view_key(RunView& view, SelectionModel& selection, const QKeyEvent& event) {
  if (is_shortcut(event)) return false;
  switch (event.key()) {
    case Qt::Key_0:
    case Qt::Key_Home:
      view.show_everything();
      return true;
    case Qt::Key_Escape:
      selection.select(std::nullopt);
      return true;
    default:
      return false;
  }
}

}  // namespace mansard::gui
