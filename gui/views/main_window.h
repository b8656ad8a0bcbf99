// SPDX-License-Identifier: Apache-2.0
// Pages of opened files, and the menus.
#pragma once

#include <QMainWindow>
#include <QStringList>

#include "gui/models/load_run.h"

class QAction;
class QMenu;
class QSettings;
class QStackedWidget;

namespace mansard::gui {

class BookmarkMenu;
class CharacterizeDialog;
class HelpWindow;
class ProfileDialog;
class RunPage;
class SearchPalette;
class TabSides;
class ToolDialog;
class WelcomePage;

class MainWindow : public QMainWindow {
  Q_OBJECT

 public:
  // `settings` keep the session, and must outlive the window; null: nothing is kept.
  explicit MainWindow(QStringList machines, QSettings* settings = nullptr,
                      RunLoader loader = load_run);
  ~MainWindow() override;

  // Each in a tab of its own; a file already open is shown again instead.
  void open(const QStringList& files);
  // Where the window and its docks were when it was closed last.
  void restore_looks();
  // What was open then; files that have gone are left out.
  void restore_session();
  // Models for the runs opened from now on, and for those open already.
  void add_machines(const QStringList& files);
  // Opens both; `run` is compared with `baseline`.
  void compare(const QString& run, const QString& baseline);

  RunPage* page(int index) const;
  RunPage* page_of(const QString& file) const;  // null: it is not open
  RunPage* current_page() const;
  int page_count() const;
  TabSides* sides() { return sides_; }
  BookmarkMenu* bookmarks() { return bookmarks_; }
  SearchPalette* palette_of_names();  // opened by Ctrl+K

  // Dialogs that stay while one works in the window.
  CharacterizeDialog* characterize();
  ProfileDialog* profile();
  void help(const QString& page);

  // Writes the current view; says so, or why not, in the status bar. False: it was not written.
  bool export_current_view(const QString& file);

 protected:
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;
  void closeEvent(QCloseEvent* event) override;

 private:
  void make_file_menu();
  void make_edit_menu();
  void make_view_menu();
  void make_tools_menu();
  void make_help_menu();
  QAction* add_page_action(QMenu* menu, const QString& text, const QKeySequence& keys,
                           std::function<void(RunPage&)> run);
  void ask_for_files();
  void ask_for_machine();
  void ask_for_export();
  HelpWindow& help_window();
  void ask_palette();
  template <class Dialog>
  Dialog* show_tool(Dialog*& dialog);
  void wire(ToolDialog* dialog);
  bool stop_tools();  // false: the user is asked, and the window closes later
  void fill_recent_menu();
  void fill_compare_menu();
  void fill_view_menu();
  void close_page(RunPage* page);
  void keep_arrangement(const RunPage& page);
  void show_page();
  void follow_history();
  void save();

  QStringList machines_;
  QSettings* settings_;
  RunLoader loader_;
  QStackedWidget* stack_;  // the word of welcome, or the pages
  WelcomePage* welcome_;
  TabSides* sides_;
  BookmarkMenu* bookmarks_ = nullptr;
  SearchPalette* palette_ = nullptr;  // these four are made when they are asked for
  CharacterizeDialog* characterize_ = nullptr;
  ProfileDialog* profile_ = nullptr;
  HelpWindow* help_ = nullptr;
  QMenu* recent_ = nullptr;
  QMenu* compare_ = nullptr;
  QMenu* docks_ = nullptr;
  QAction* movable_ = nullptr;
  QAction* undo_ = nullptr;
  QAction* redo_ = nullptr;
  std::vector<QAction*> page_actions_;  // of use only with a page
  QByteArray arrangement_;              // of the page that was in front last
};

}  // namespace mansard::gui
