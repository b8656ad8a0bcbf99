// SPDX-License-Identifier: Apache-2.0
// Menu of the current page's bookmarks: open, add, remove.
#pragma once

#include <QMenu>
#include <functional>

class QSettings;

namespace mansard::gui {

class RunPage;

class BookmarkMenu : public QMenu {
  Q_OBJECT

 public:
  // `settings` store the bookmarks; null disables the menu.
  BookmarkMenu(QSettings* settings, std::function<RunPage*()> page, QWidget* parent);

  // Saves the page's selection and filter under `name`, replacing a bookmark with that name. False:
  // no page, an empty name, or too many bookmarks.
  bool add(const QString& name);
  // Opens the n-th bookmark, from 1; does nothing if there is none.
  void go_to(int number);

 private:
  void fill();
  void ask_for_name();

  QSettings* settings_;
  std::function<RunPage*()> page_;
};

}  // namespace mansard::gui
