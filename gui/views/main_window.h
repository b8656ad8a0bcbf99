// SPDX-License-Identifier: Apache-2.0
// The main window: one page per opened file, the menus and the toolbar.
#pragma once

#include <QMainWindow>
#include <QStringList>

#include "gui/models/examples.h"
#include "gui/models/load_run.h"
#include "gui/models/theme_choice.h"

class QAction;
class QMenu;
class QSettings;
class QStackedWidget;

namespace mansard::gui {

class BookmarkMenu;
class CharacterizeDialog;
class HelpWindow;
class JobPage;
class ProfileDialog;
class RunPage;
class SearchPalette;
class TabSides;
class ToolDialog;
class View;
class WelcomePage;

class MainWindow : public QMainWindow {
  Q_OBJECT

 public:
  // `settings` store the session and must outlive the window; null: nothing is stored.
  explicit MainWindow(QStringList machines, QSettings* settings = nullptr,
                      RunLoader loader = load_run);
  ~MainWindow() override;

  // Opens each file in a tab; a file that is open already comes to the front.
  void open(const QStringList& files);
  // Opens files, patterns and folders: those of one job (are_job()) in one tab, otherwise as above.
  // Machine models and traces (*.json, *.json.gz) are never part of a job.
  void open_arguments(const QStringList& arguments, const QString& summaries = {});
  // Opens a job; one that is open already comes to the front.
  void open_job(const QStringList& files, const QString& summaries = {});
  // Restores the geometry of the window and its docks.
  void restore_looks();
  // Restores the open files; skips missing ones.
  void restore_session();
  // Sets the machine models for open and future runs.
  void add_machines(const QStringList& files);
  // Opens both; `run` is compared with `baseline`.
  void compare(const QString& run, const QString& baseline);

  // Tabs of single files. A tab of a job is not among these.
  RunPage* page(int index) const;
  RunPage* page_of(const QString& file) const;  // null if not open
  RunPage* current_page() const;
  int page_count() const;
  std::vector<JobPage*> jobs() const;
  JobPage* current_job() const;  // null if a single file is in front
  TabSides* sides() { return sides_; }
  BookmarkMenu* bookmarks() { return bookmarks_; }
  SearchPalette* palette_of_names();  // opened by Ctrl+K

  // Non-modal dialogs.
  CharacterizeDialog* characterize();
  ProfileDialog* profile();
  void help(const QString& page);

  // Exports the current view; shows the result in the status bar. False on failure.
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
  void make_toolbar();
  QAction* add_page_action(QMenu* menu, const QString& text, const QKeySequence& keys,
                           std::function<void(RunPage&)> run,
                           std::function<void(JobPage&)> run_on_job = {});
  void choose_theme(ThemeChoice theme);
  void open_example(const Example& example);
  void ask_for_files();
  void ask_for_machine();
  void ask_for_export();
  HelpWindow& help_window();
  void ask_palette();
  template <class Dialog>
  Dialog* show_tool(Dialog*& dialog);
  void wire(ToolDialog* dialog);
  bool stop_tools();  // false: the user was asked; the window closes later
  void fill_recent_menu();
  void fill_compare_menu();
  void fill_view_menu();
  void remember_pins(RunPage& page);
  void close_page(QWidget* page);
  View* current_view() const;
  std::vector<RunPage*> pages() const;
  void open_rank(JobPage& job, const QString& file);
  void keep_arrangement(const RunPage& page);
  void show_page();
  void follow_history();
  void save();

  QStringList machines_;
  QSettings* settings_;
  RunLoader loader_;
  QStackedWidget* stack_;  // the welcome page, or the tabs
  WelcomePage* welcome_;
  TabSides* sides_;
  BookmarkMenu* bookmarks_ = nullptr;
  SearchPalette* palette_ = nullptr;  // these four are created on first use
  CharacterizeDialog* characterize_ = nullptr;
  ProfileDialog* profile_ = nullptr;
  HelpWindow* help_ = nullptr;
  QMenu* recent_ = nullptr;
  QMenu* compare_ = nullptr;
  QMenu* docks_ = nullptr;
  QAction* movable_ = nullptr;
  QAction* undo_ = nullptr;
  QAction* redo_ = nullptr;
  QAction* open_ = nullptr;
  QAction* reload_ = nullptr;
  QAction* export_ = nullptr;
  QAction* search_ = nullptr;
  QAction* fit_step_ = nullptr;
  QAction* theme_ = nullptr;
  struct PageAction {
    QAction* action;
    bool for_jobs;
  };
  std::vector<PageAction> page_actions_;  // enabled only if a page is open
  QByteArray arrangement_;                // dock layout of the last current page
};

}  // namespace mansard::gui
