// SPDX-License-Identifier: Apache-2.0
// Chooses an item of a context menu, as a user does.
#pragma once

#include <QApplication>
#include <QContextMenuEvent>
#include <QMenu>
#include <QTimer>

#include <gtest/gtest.h>

namespace mansard::testing {

// Asks `widget` for the menu at `position` (default: its center) and chooses the item with this
// text. Returns false if the menu lacks it or is not shown.
inline bool choose_in_menu(QWidget& widget, const QString& text,
                           std::optional<QPoint> position = {}) {
  bool chosen = false;
  // The menu runs its own event loop.
  QTimer::singleShot(0, &widget, [&] {
    auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
    if (menu == nullptr) return;
    for (QAction* action : menu->actions()) {
      if (action->text().remove(QLatin1Char('&')) != text) continue;
      chosen = true;
      menu->setActiveAction(action);
      action->trigger();
    }
    menu->close();
  });
  const QPoint place = position.value_or(widget.rect().center());
  QContextMenuEvent event(QContextMenuEvent::Mouse, place, widget.mapToGlobal(place));
  QApplication::sendEvent(&widget, &event);
  QApplication::processEvents();
  return chosen;
}

}  // namespace mansard::testing
