// SPDX-License-Identifier: Apache-2.0
// The bookmarks of the page in front: going to one, making one, removing one.
#pragma once

#include <QMenu>
#include <functional>

class QSettings;

namespace mansard::gui {

class RunPage;

class BookmarkMenu : public QMenu {
  Q_OBJECT

 public:
  // `settings` keep the bookmarks; null: there are none, and the menu is disabled.
  BookmarkMenu(QSettings* settings, std::function<RunPage*()> page, QWidget* parent);

  // What the page shows, under a name; one of that name is replaced. False: no page, no name, or
  // too many already.
  bool add(const QString& name);
  // The n-th, from 1; nothing where there is none.
  void go_to(int number);

 private:
  void fill();
  void ask_for_name();

  QSettings* settings_;
  std::function<RunPage*()> page_;
};

}  // namespace mansard::gui
