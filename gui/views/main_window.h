// SPDX-License-Identifier: Apache-2.0
// Tabs of opened files, the menus, and the details of whatever the current tab has selected.
#pragma once

#include <QMainWindow>
#include <QStringList>

#include "gui/models/load_run.h"

class QDockWidget;
class QStackedWidget;
class QTabWidget;

namespace mansard {

class DetailsView;
class RunPage;

class MainWindow : public QMainWindow {
  Q_OBJECT

 public:
  explicit MainWindow(QStringList machines, RunLoader loader = load_run);

  // Each in a tab of its own; a file already open is shown again instead.
  void open(const QStringList& files);
  // Models for the runs opened from now on, and for those open already.
  void add_machines(const QStringList& files);

  RunPage* page(int index) const;
  RunPage* current_page() const;
  int page_count() const;
  DetailsView* details() { return details_; }

 protected:
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  void make_menus();
  void ask_for_files();
  void ask_for_machine();
  void close_page(int index);
  void show_page();
  void show_details();

  QStringList machines_;
  RunLoader loader_;
  QStackedWidget* stack_;  // a word of welcome, or the tabs
  QTabWidget* tabs_;
  QDockWidget* dock_;
  DetailsView* details_;
  bool has_rows_ = false;  // of the current page: a machine model alone has no details
};

}  // namespace mansard
