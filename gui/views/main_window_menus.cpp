// SPDX-License-Identifier: Apache-2.0
// The menus and the toolbar of the main window.
#include <QApplication>
#include <QDockWidget>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenuBar>
#include <QMessageBox>
#include <QPointer>
#include <QStyle>
#include <QToolBar>
#include <QToolButton>

#include "gui/models/recent_files.h"
#include "gui/views/bookmark_menu.h"
#include "gui/views/export_view.h"
#include "gui/views/filter_bar.h"
#include "gui/views/job_page.h"
#include "gui/views/main_window.h"
#include "gui/views/painting.h"
#include "gui/views/run_page.h"
#include "gui/views/run_view.h"
#include "gui/views/run_views.h"
#include "gui/views/tab_sides.h"
#include "gui/views/theme.h"
#include "gui/views/timeline_view.h"

namespace mansard::gui {

using figure::Theme;

void MainWindow::make_file_menu() {
  QMenu* file = menuBar()->addMenu(tr("&File"));
  open_ = file->addAction(tr("&Open..."), QKeySequence::Open, this, &MainWindow::ask_for_files);
  recent_ = file->addMenu(tr("Open recen&t"));
  recent_->setEnabled(settings_ != nullptr);
  connect(recent_, &QMenu::aboutToShow, this, &MainWindow::fill_recent_menu);
  file->addAction(tr("Use &machine model..."), QKeySequence(Qt::CTRL | Qt::Key_M), this,
                  &MainWindow::ask_for_machine);
  compare_ = file->addMenu(tr("Com&pare with"));
  connect(compare_, &QMenu::aboutToShow, this, &MainWindow::fill_compare_menu);
  reload_ = add_page_action(
      file, tr("&Reload"), QKeySequence(Qt::Key_F5),
      [](RunPage& page) { page.document()->reload(); },
      [](JobPage& job) { job.document()->reload(); });
  file->addSeparator();
  export_ = add_page_action(
      file, tr("&Export view..."), QKeySequence(Qt::CTRL | Qt::Key_E),
      [this](RunPage&) { ask_for_export(); }, [this](JobPage&) { ask_for_export(); });
  file->addSeparator();
  add_page_action(
      file, tr("&Close"), QKeySequence(Qt::CTRL | Qt::Key_W),
      [this](RunPage& page) { close_page(&page); }, [this](JobPage& job) { close_page(&job); });
  file->addAction(tr("&Quit"), QKeySequence::Quit, this, &QWidget::close);
}

void MainWindow::make_edit_menu() {
  QMenu* edit = menuBar()->addMenu(tr("&Edit"));
  undo_ = add_page_action(edit, tr("&Undo"), QKeySequence::Undo,
                          [](RunPage& page) { page.selection()->undo(); });
  redo_ = add_page_action(edit, tr("&Redo"), QKeySequence::Redo,
                          [](RunPage& page) { page.selection()->redo(); });
  edit->addSeparator();
  add_page_action(
      edit, tr("&Copy view"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_C),
      [](RunPage& page) {
        if (RunView* view = page.current_view()) copy_view(*view);
      },
      [](JobPage& job) {
        if (View* view = job.current_view()) copy_view(*view);
      });
  edit->addSeparator();
  add_page_action(edit, tr("&Filter"), QKeySequence::Find,
                  [](RunPage& page) { page.filter()->focus_words(); });
  add_page_action(edit, tr("C&lear filter"), QKeySequence(Qt::CTRL | Qt::Key_Backspace),
                  [](RunPage& page) { page.selection()->set_filter({}); });
  edit->addSeparator();
  search_ = edit->addAction(tr("&Search..."), this, &MainWindow::ask_palette);
  search_->setShortcuts({QKeySequence(Qt::CTRL | Qt::Key_K), QKeySequence(Qt::CTRL | Qt::Key_P)});
  bookmarks_ = new BookmarkMenu(
      settings_, [this] { return current_page(); }, this);
  edit->addMenu(bookmarks_);
}

void MainWindow::make_view_menu() {
  QMenu* view = menuBar()->addMenu(tr("&View"));
  add_page_action(
      view, tr("&Reset view"), QKeySequence(Qt::CTRL | Qt::Key_0),
      [](RunPage& page) {
        if (RunView* shown = page.current_view()) shown->show_everything();
      },
      [](JobPage& job) {
        if (View* shown = job.current_view()) shown->show_everything();
      });
  fit_step_ = add_page_action(view, tr("&Fit step"), {}, [](RunPage& page) {
    const QString name = QStringLiteral("timeline");
    page.raise_view(name);
    qobject_cast<TimelineView*>(page.view(name))->show_typical_step();
  });
  fit_step_->setToolTip(tr("Show a typical step in the timeline (0)"));
  QMenu* going = view->addMenu(tr("&Go to view"));
  int number = 0;
  for (const RunViewSpec& spec : run_views()) {
    ++number;  // Alt+1 to Alt+9, and Alt+0 for the tenth
    add_page_action(
        going, RunPage::tr(spec.title),
        number > 10 ? QKeySequence() : QKeySequence(Qt::ALT | (Qt::Key_0 + number % 10)),
        [name = QString::fromUtf8(spec.name)](RunPage& page) { page.raise_view(name); });
  }
  docks_ = view->addMenu(tr("&Visible views"));
  connect(docks_, &QMenu::aboutToShow, this, &MainWindow::fill_view_menu);
  movable_ = view->addAction(tr("&Movable views"), this, [this](bool movable) {
    for (int i = 0; i < page_count(); ++i) page(i)->set_movable(movable);
  });
  movable_->setCheckable(true);
  theme_ = view->addMenu(tr("T&heme"))->menuAction();
  for (const auto& [name, theme] : {std::pair<QString, ThemeChoice>{tr("&Light"), Theme::light},
                                    {tr("&Dark"), Theme::dark},
                                    {tr("As the de&sktop"), std::nullopt}}) {
    theme_->menu()->addAction(name, this, [this, theme = theme] { choose_theme(theme); });
  }
  add_page_action(view, tr("Reset &layout"), {}, [](RunPage& page) { page.arrange_as_new(); });
  add_page_action(
      view, tr("Move &tab to other side"), QKeySequence(Qt::CTRL | Qt::Key_Backslash),
      [this](RunPage& page) { sides_->move_to_other_side(&page); },
      [this](JobPage& job) { sides_->move_to_other_side(&job); });
}

void MainWindow::choose_theme(ThemeChoice theme) {
  if (theme) {
    apply_theme(*qApp, *theme);
  } else {
    follow_desktop(*qApp);
  }
  if (settings_ != nullptr) save_theme(theme, *settings_);
}

void MainWindow::make_tools_menu() {
  QMenu* tools = menuBar()->addMenu(tr("&Tools"));
  tools->addAction(tr("&Measure this machine..."), this, &MainWindow::characterize);
  tools->addAction(tr("&Profile a program..."), this, &MainWindow::profile);
}

void MainWindow::make_help_menu() {
  QMenu* menu = menuBar()->addMenu(tr("&Help"));
  menu->addAction(tr("&Using this window"), QKeySequence::HelpContents, this,
                  [this] { help(QStringLiteral("gui.md")); });
  menu->addAction(tr("&Keyboard and mouse"), this,
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
      recent_->addAction(tr("&Clear list"), this, [this] { RecentFiles(settings_).clear(); });
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
  compare_->addAction(tr("Another profile..."), this, [this, file = shown->document()->file()] {
    const QString baseline = QFileDialog::getOpenFileName(
        this, tr("Compare with a profile"), {},
        tr("Profiles and traces (*.sqlite *.db *.json *.json.gz);;All files (*)"));
    if (!baseline.isEmpty()) compare(file, baseline);
  });
  QAction* nothing = compare_->addAction(tr("None"), this, [run = QPointer(shown)] {
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

// The menus' actions, with icons and short names.
void MainWindow::make_toolbar() {
  auto* bar = new QToolBar(tr("Toolbar"), this);
  bar->setObjectName(QStringLiteral("toolbar"));
  bar->setMovable(false);
  bar->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  const int icon_px = style()->pixelMetric(QStyle::PM_SmallIconSize, nullptr, bar);
  bar->setIconSize({icon_px, icon_px});
  const auto add = [&](QAction* action, QStyle::StandardPixmap icon, const QString& name) {
    action->setIcon(style()->standardIcon(icon));
    action->setIconVisibleInMenu(false);
    action->setIconText(name);
    bar->addAction(action);
    const QKeySequence keys = action->shortcut();
    if (keys.isEmpty()) return;
    QString text = action->text();
    text.remove(QLatin1Char('&')).remove(QStringLiteral("..."));
    action->setToolTip(
        QStringLiteral("%1 (%2)").arg(text, keys.toString(QKeySequence::NativeText)));
  };
  add(open_, QStyle::SP_DialogOpenButton, tr("Open"));
  add(reload_, QStyle::SP_BrowserReload, tr("Reload"));
  bar->addSeparator();
  add(undo_, QStyle::SP_ArrowBack, tr("Back"));
  add(redo_, QStyle::SP_ArrowForward, tr("Forward"));
  add(fit_step_, QStyle::SP_FileDialogListView, tr("Fit step"));
  add(search_, QStyle::SP_FileDialogContentsView, tr("Search"));
  bar->addSeparator();
  add(export_, QStyle::SP_DialogSaveButton, tr("Export"));
  add(compare_->menuAction(), QStyle::SP_FileDialogDetailedView, tr("Compare with..."));
  add(theme_, QStyle::SP_DesktopIcon, tr("Theme"));
  for (QAction* menu : {compare_->menuAction(), theme_}) {
    if (auto* button = qobject_cast<QToolButton*>(bar->widgetForAction(menu))) {
      button->setPopupMode(QToolButton::InstantPopup);
    }
  }
  addToolBar(bar);
}

}  // namespace mansard::gui
