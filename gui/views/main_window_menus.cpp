// SPDX-License-Identifier: Apache-2.0
// The menus of the window, and what they ask.
#include <QDockWidget>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenuBar>
#include <QMessageBox>
#include <QPointer>

#include "gui/models/recent_files.h"
#include "gui/views/bookmark_menu.h"
#include "gui/views/export_view.h"
#include "gui/views/filter_bar.h"
#include "gui/views/main_window.h"
#include "gui/views/painting.h"
#include "gui/views/run_page.h"
#include "gui/views/run_view.h"
#include "gui/views/run_views.h"
#include "gui/views/tab_sides.h"

namespace mansard::gui {

void MainWindow::make_file_menu() {
  QMenu* file = menuBar()->addMenu(tr("&File"));
  file->addAction(tr("&Open..."), QKeySequence::Open, this, &MainWindow::ask_for_files);
  recent_ = file->addMenu(tr("Open recen&t"));
  recent_->setEnabled(settings_ != nullptr);
  connect(recent_, &QMenu::aboutToShow, this, &MainWindow::fill_recent_menu);
  file->addAction(tr("Use &machine model..."), QKeySequence(Qt::CTRL | Qt::Key_M), this,
                  &MainWindow::ask_for_machine);
  compare_ = file->addMenu(tr("Com&pare with"));
  connect(compare_, &QMenu::aboutToShow, this, &MainWindow::fill_compare_menu);
  add_page_action(file, tr("&Reload"), QKeySequence(Qt::Key_F5),
                  [](RunPage& page) { page.document()->reload(); });
  file->addSeparator();
  add_page_action(file, tr("&Export view..."), QKeySequence(Qt::CTRL | Qt::Key_E),
                  [this](RunPage&) { ask_for_export(); });
  file->addSeparator();
  add_page_action(file, tr("&Close"), QKeySequence(Qt::CTRL | Qt::Key_W),
                  [this](RunPage& page) { close_page(&page); });
  file->addAction(tr("&Quit"), QKeySequence::Quit, this, &QWidget::close);
}

void MainWindow::make_edit_menu() {
  QMenu* edit = menuBar()->addMenu(tr("&Edit"));
  undo_ = add_page_action(edit, tr("&Undo"), QKeySequence::Undo,
                          [](RunPage& page) { page.selection()->undo(); });
  redo_ = add_page_action(edit, tr("&Redo"), QKeySequence::Redo,
                          [](RunPage& page) { page.selection()->redo(); });
  edit->addSeparator();
  add_page_action(edit, tr("&Copy view"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_C),
                  [](RunPage& page) {
                    if (RunView* view = page.current_view()) copy_view(*view);
                  });
  edit->addSeparator();
  add_page_action(edit, tr("&Filter"), QKeySequence::Find,
                  [](RunPage& page) { page.filter()->focus_words(); });
  add_page_action(edit, tr("Filter &nothing"), QKeySequence(Qt::CTRL | Qt::Key_Backspace),
                  [](RunPage& page) { page.selection()->set_filter({}); });
  edit->addSeparator();
  edit->addAction(tr("&Go to..."), this, &MainWindow::ask_palette)
      ->setShortcuts({QKeySequence(Qt::CTRL | Qt::Key_K), QKeySequence(Qt::CTRL | Qt::Key_P)});
  bookmarks_ = new BookmarkMenu(
      settings_, [this] { return current_page(); }, this);
  edit->addMenu(bookmarks_);
}

void MainWindow::make_view_menu() {
  QMenu* view = menuBar()->addMenu(tr("&View"));
  add_page_action(view, tr("Show &everything"), QKeySequence(Qt::CTRL | Qt::Key_0),
                  [](RunPage& page) {
                    if (RunView* shown = page.current_view()) shown->show_everything();
                  });
  QMenu* going = view->addMenu(tr("&Go to"));
  int number = 0;
  for (const RunViewSpec& spec : run_views()) {
    ++number;  // Alt+1 to Alt+9, and Alt+0 for the tenth
    add_page_action(
        going, RunPage::tr(spec.title),
        number > 10 ? QKeySequence() : QKeySequence(Qt::ALT | (Qt::Key_0 + number % 10)),
        [name = QString::fromUtf8(spec.name)](RunPage& page) { page.raise_view(name); });
  }
  docks_ = view->addMenu(tr("&Views"));
  connect(docks_, &QMenu::aboutToShow, this, &MainWindow::fill_view_menu);
  movable_ = view->addAction(tr("&Move views"), this, [this](bool movable) {
    for (int i = 0; i < page_count(); ++i) page(i)->set_movable(movable);
  });
  movable_->setCheckable(true);
  add_page_action(view, tr("&Arrange as new"), {}, [](RunPage& page) { page.arrange_as_new(); });
  add_page_action(view, tr("To the other &side"), QKeySequence(Qt::CTRL | Qt::Key_Backslash),
                  [this](RunPage& page) { sides_->move_to_other_side(&page); });
}

void MainWindow::make_tools_menu() {
  QMenu* tools = menuBar()->addMenu(tr("&Tools"));
  tools->addAction(tr("&Measure this machine..."), this, &MainWindow::characterize);
  tools->addAction(tr("&Profile a program..."), this, &MainWindow::profile);
}

void MainWindow::make_help_menu() {
  QMenu* menu = menuBar()->addMenu(tr("&Help"));
  menu->addAction(tr("&This window"), QKeySequence::HelpContents, this,
                  [this] { help(QStringLiteral("gui.md")); });
  menu->addAction(tr("&Keys and mouse"), this,
                  [this] { help(QStringLiteral("gui.md#mouse-and-keys")); });
  menu->addAction(tr("&About Mansard"), this, [this] {
    QMessageBox::about(this, tr("About Mansard"),
                       tr("Mansard %1\n\nRoofline and performance analysis.\nApache License 2.0")
                           .arg(QStringLiteral(MANSARD_VERSION)));
  });
}

void MainWindow::fill_recent_menu() {
  recent_->clear();
  const QStringList files = RecentFiles(settings_).all();
  for (const QString& file : files) {
    QAction* action =
        recent_->addAction(without_mnemonic(file), this, [this, file] { open({file}); });
    action->setEnabled(QFileInfo::exists(file));
  }
  recent_->addSeparator();
  QAction* forget =
      recent_->addAction(tr("&Forget them"), this, [this] { RecentFiles(settings_).clear(); });
  forget->setEnabled(!files.isEmpty());
}

void MainWindow::fill_compare_menu() {
  compare_->clear();
  RunPage* shown = current_page();
  if (shown == nullptr) return;
  for (int i = 0; i < page_count(); ++i) {
    RunPage* other = page(i);
    if (other == shown) continue;
    QAction* action = compare_->addAction(without_mnemonic(other->document()->title()), this,
                                          [run = QPointer(shown), baseline = QPointer(other)] {
                                            if (run && baseline)
                                              run->set_baseline(baseline->document());
                                          });
    action->setCheckable(true);
    action->setChecked(shown->baseline() == other->document());
  }
  compare_->addSeparator();
  compare_->addAction(tr("Another run..."), this, [this, file = shown->document()->file()] {
    const QString baseline =
        QFileDialog::getOpenFileName(this, tr("Compare with a run"), {},
                                     tr("Runs (*.sqlite *.db *.json *.json.gz);;All files (*)"));
    if (!baseline.isEmpty()) compare(file, baseline);
  });
  QAction* nothing = compare_->addAction(tr("Nothing"), this, [run = QPointer(shown)] {
    if (run) run->set_baseline(nullptr);
  });
  nothing->setEnabled(shown->baseline() != nullptr);
}

void MainWindow::fill_view_menu() {
  docks_->clear();
  if (RunPage* page = current_page()) {
    for (QDockWidget* dock : page->docks()) docks_->addAction(dock->toggleViewAction());
  }
}

void MainWindow::ask_for_files() {
  const QStringList files = QFileDialog::getOpenFileNames(
      this, tr("Open runs or machine models"), {},
      tr("Runs and machine models (*.sqlite *.db *.json *.json.gz);;All files (*)"));
  if (!files.isEmpty()) open(files);
}

void MainWindow::ask_for_machine() {
  const QStringList files = QFileDialog::getOpenFileNames(this, tr("Use machine models"), {},
                                                          tr("Machine models (*.json)"));
  if (!files.isEmpty()) add_machines(files);
}

void MainWindow::ask_for_export() {
  RunPage* shown = current_page();
  if (shown == nullptr || shown->current_view() == nullptr) return;
  const QString proposed =
      QStringLiteral("%1-%2.%3")
          .arg(QFileInfo(shown->document()->file()).completeBaseName(),
               shown->current_view()->parentWidget()->objectName(),
               shown->current_view()->is_figure() ? QStringLiteral("svg") : QStringLiteral("csv"));
  const QString file = QFileDialog::getSaveFileName(
      this, tr("Export %1").arg(shown->current_view()->accessibleName()), proposed,
      tr("Figures and tables (*.svg *.png *.csv)"));
  if (!file.isEmpty()) export_current_view(file);
}

}  // namespace mansard::gui
