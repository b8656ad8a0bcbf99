// SPDX-License-Identifier: Apache-2.0
#include "gui/views/main_window.h"

#include <QCloseEvent>
#include <QDockWidget>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QLabel>
#include <QMenuBar>
#include <QMessageBox>
#include <QMimeData>
#include <QSettings>
#include <QStackedWidget>
#include <QStatusBar>

#include "gui/models/session.h"
#include "gui/views/export_view.h"
#include "gui/views/filter_bar.h"
#include "gui/views/run_page.h"
#include "gui/views/run_view.h"
#include "gui/views/tab_sides.h"

namespace mansard {
namespace {

const char* const kWelcome = QT_TRANSLATE_NOOP(
    "mansard::MainWindow",
    "<p align='center'>Drop a recorded run or a machine model here, or press Ctrl+O.</p>"
    "<table cellspacing='8'>"
    "<tr><td><code>mansard characterize -o machine.json</code></td>"
    "<td>measures what this machine can do</td></tr>"
    "<tr><td><code>mansard profile -o run.sqlite -- ./train</code></td>"
    "<td>records what a program does</td></tr></table>");

const char* const kKeys = QT_TRANSLATE_NOOP(
    "mansard::MainWindow",
    "<table cellspacing='6'>"
    "<tr><td><b>Wheel, + and -</b></td><td>zoom at the cursor, at the centre</td></tr>"
    "<tr><td><b>Ctrl+wheel, Shift+wheel</b></td><td>zoom one axis only</td></tr>"
    "<tr><td><b>Drag, arrows</b></td><td>pan</td></tr>"
    "<tr><td><b>Double click, 0, Home</b></td><td>show everything</td></tr>"
    "<tr><td><b>Click</b></td><td>select a kernel; on a class above the figure: filter by "
    "it</td></tr>"
    "<tr><td><b>N, P</b></td><td>next and previous kernel by time</td></tr>"
    "<tr><td><b>T</b></td><td>next memory tier</td></tr>"
    "<tr><td><b>D</b></td><td>marks of kernels, launches as density, both</td></tr>"
    "<tr><td><b>M</b></td><td>what the figure draws</td></tr>"
    "<tr><td><b>Esc</b></td><td>select nothing</td></tr>"
    "<tr><td><b>Ctrl+F</b></td><td>filter</td></tr></table>");

}  // namespace

MainWindow::MainWindow(QStringList machines, QSettings* settings, RunLoader loader)
    : machines_(std::move(machines)),
      settings_(settings),
      loader_(std::move(loader)),
      stack_(new QStackedWidget(this)),
      sides_(new TabSides(this)) {
  setWindowTitle(QStringLiteral("Mansard"));
  setAcceptDrops(true);
  resize(1280, 800);

  auto* welcome = new QLabel(tr(kWelcome), this);
  welcome->setAlignment(Qt::AlignCenter);
  stack_->addWidget(welcome);
  stack_->addWidget(sides_);
  setCentralWidget(stack_);

  make_file_menu();
  make_edit_menu();
  make_view_menu();
  make_help_menu();
  connect(sides_, &TabSides::current_changed, this, &MainWindow::show_page);
  connect(sides_, &TabSides::close_requested, this,
          [this](QWidget* page) { close_page(qobject_cast<RunPage*>(page)); });
  show_page();
}

MainWindow::~MainWindow() = default;

QAction* MainWindow::add_page_action(QMenu* menu, const QString& text, const QKeySequence& keys,
                                     std::function<void(RunPage&)> run) {
  QAction* action = menu->addAction(text, keys, this, [this, run = std::move(run)] {
    if (RunPage* page = current_page()) run(*page);
  });
  page_actions_.push_back(action);
  return action;
}

void MainWindow::make_file_menu() {
  QMenu* file = menuBar()->addMenu(tr("&File"));
  file->addAction(tr("&Open..."), QKeySequence::Open, this, &MainWindow::ask_for_files);
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
}

void MainWindow::make_view_menu() {
  QMenu* view = menuBar()->addMenu(tr("&View"));
  add_page_action(view, tr("Show &everything"), QKeySequence(Qt::CTRL | Qt::Key_0),
                  [](RunPage& page) {
                    if (RunView* shown = page.current_view()) shown->show_everything();
                  });
  docks_ = view->addMenu(tr("&Views"));
  connect(docks_, &QMenu::aboutToShow, this, &MainWindow::fill_view_menu);
  add_page_action(view, tr("&Arrange as new"), {}, [](RunPage& page) { page.arrange_as_new(); });
  add_page_action(view, tr("To the other &side"), QKeySequence(Qt::CTRL | Qt::Key_Backslash),
                  [this](RunPage& page) { sides_->move_to_other_side(&page); });
}

void MainWindow::make_help_menu() {
  QMenu* help = menuBar()->addMenu(tr("&Help"));
  help->addAction(tr("&Keys and mouse"), this,
                  [this] { QMessageBox::information(this, tr("Keys and mouse"), tr(kKeys)); });
  help->addAction(tr("&About Mansard"), this, [this] {
    QMessageBox::about(this, tr("About Mansard"),
                       tr("Mansard %1\n\nRoofline and performance analysis.\nApache License 2.0")
                           .arg(QStringLiteral(MANSARD_VERSION)));
  });
}

void MainWindow::fill_compare_menu() {
  compare_->clear();
  RunPage* shown = current_page();
  if (shown == nullptr) return;
  for (int i = 0; i < page_count(); ++i) {
    RunPage* other = page(i);
    if (other == shown) continue;
    QAction* action = compare_->addAction(other->document()->title(), this, [shown, other] {
      shown->set_baseline(other->document());
    });
    action->setCheckable(true);
    action->setChecked(shown->baseline() == other->document());
  }
  compare_->addSeparator();
  compare_->addAction(tr("Another run..."), this, [this, file = shown->document()->file()] {
    const QString baseline = QFileDialog::getOpenFileName(
        this, tr("Compare with a run"), {}, tr("Runs (*.sqlite *.db *.json);;All files (*)"));
    if (!baseline.isEmpty()) compare(file, baseline);
  });
  QAction* nothing =
      compare_->addAction(tr("Nothing"), this, [shown] { shown->set_baseline(nullptr); });
  nothing->setEnabled(shown->baseline() != nullptr);
}

void MainWindow::fill_view_menu() {
  docks_->clear();
  if (RunPage* page = current_page()) {
    int number = 0;
    for (QDockWidget* dock : page->docks()) {
      QAction* action = dock->toggleViewAction();
      if (++number <= 9) action->setShortcut(QKeySequence(Qt::ALT | (Qt::Key_0 + number)));
      docks_->addAction(action);
    }
  }
}

void MainWindow::open(const QStringList& files) {
  RunPage* first = nullptr;
  for (const QString& file : files) {
    RunPage* shown = page_of(file);
    if (shown == nullptr) {
      auto document = std::make_unique<RunDocument>(nullptr, loader_);
      RunDocument* loading = document.get();
      shown = new RunPage(std::move(document), this);
      if (RunPage* before = current_page()) arrangement_ = before->arrangement();
      if (!arrangement_.isEmpty()) shown->arrange(arrangement_);
      connect(shown->selection(), &SelectionModel::history_changed, this,
              &MainWindow::follow_history);
      loading->open(file, machines_);
      sides_->add(shown, QFileInfo(file).fileName(), QFileInfo(file).absoluteFilePath());
    }
    if (first == nullptr) first = shown;  // of several files the one to look at first
  }
  if (first != nullptr) sides_->set_current(first);
  stack_->setCurrentIndex(page_count() > 0 ? 1 : 0);
}

void MainWindow::compare(const QString& run, const QString& baseline) {
  open({run, baseline});
  RunPage* shown = page_of(run);
  RunPage* other = page_of(baseline);
  if (shown != other) shown->set_baseline(other->document());
}

void MainWindow::restore_session() {
  if (settings_ == nullptr) return;
  const Session session = read_session(*settings_);
  restoreGeometry(session.geometry);
  arrangement_ = session.arrangement;
  for (const QString& machine : session.machines) {
    if (QFileInfo::exists(machine) && !machines_.contains(machine)) machines_ << machine;
  }
  for (const SessionPage& saved : session.pages) {
    if (!QFileInfo::exists(saved.file)) continue;
    open({saved.file});
    if (saved.second_side) sides_->move_to_other_side(page_of(saved.file));
  }
  for (const SessionPage& saved : session.pages) {
    RunPage* shown = page_of(saved.file);
    RunPage* other = saved.baseline.isEmpty() ? nullptr : page_of(saved.baseline);
    if (shown != nullptr && other != nullptr && shown != other) {
      shown->set_baseline(other->document());
    }
  }
  if (RunPage* current = page_of(session.current)) sides_->set_current(current);
}

void MainWindow::save() {
  if (settings_ == nullptr) return;
  Session session;
  const auto path = [](const QString& file) { return QFileInfo(file).absoluteFilePath(); };
  for (int i = 0; i < page_count(); ++i) {
    RunDocument* document = page(i)->document();
    RunDocument* baseline = page(i)->baseline();
    session.pages.push_back({path(document->file()),
                             baseline == nullptr ? QString() : path(baseline->file()),
                             sides_->on_second_side(page(i))});
  }
  if (RunPage* shown = current_page()) {
    session.current = path(shown->document()->file());
    arrangement_ = shown->arrangement();
  }
  for (const QString& machine : machines_) session.machines << path(machine);
  session.geometry = saveGeometry();
  session.arrangement = arrangement_;
  save_session(session, *settings_);
}

void MainWindow::add_machines(const QStringList& files) {
  machines_ += files;
  for (int i = 0; i < page_count(); ++i) {
    page(i)->document()->open(page(i)->document()->file(), machines_);
  }
}

RunPage* MainWindow::page(int index) const { return qobject_cast<RunPage*>(sides_->page(index)); }

RunPage* MainWindow::page_of(const QString& file) const {
  const QString path = QFileInfo(file).absoluteFilePath();
  for (int i = 0; i < page_count(); ++i) {
    if (QFileInfo(page(i)->document()->file()).absoluteFilePath() == path) return page(i);
  }
  return nullptr;
}

RunPage* MainWindow::current_page() const { return qobject_cast<RunPage*>(sides_->current()); }
int MainWindow::page_count() const { return sides_->count(); }

void MainWindow::ask_for_files() {
  const QStringList files = QFileDialog::getOpenFileNames(
      this, tr("Open runs or machine models"), {},
      tr("Runs and machine models (*.sqlite *.db *.json);;All files (*)"));
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

bool MainWindow::export_current_view(const QString& file) {
  RunPage* shown = current_page();
  if (shown == nullptr || shown->current_view() == nullptr) return false;
  try {
    export_view(*shown->current_view(), file);
    statusBar()->showMessage(tr("Wrote %1").arg(file));
    return true;
  } catch (const std::exception& e) {
    statusBar()->showMessage(QString::fromUtf8(e.what()));
    return false;
  }
}

void MainWindow::close_page(RunPage* page) {
  if (page == nullptr) return;
  for (int i = 0; i < page_count(); ++i) {
    if (this->page(i)->baseline() == page->document()) this->page(i)->set_baseline(nullptr);
  }
  arrangement_ = page->arrangement();
  sides_->remove(page);
  page->deleteLater();
  stack_->setCurrentIndex(page_count() > 0 ? 1 : 0);
}

void MainWindow::show_page() {
  RunPage* page = current_page();
  setWindowTitle(page == nullptr ? QStringLiteral("Mansard")
                                 : tr("%1 - Mansard").arg(page->document()->title()));
  for (QAction* action : page_actions_) action->setEnabled(page != nullptr);
  compare_->setEnabled(page != nullptr);
  docks_->setEnabled(page != nullptr);
  follow_history();
}

void MainWindow::follow_history() {
  RunPage* page = current_page();
  undo_->setEnabled(page != nullptr && page->selection()->can_undo());
  redo_->setEnabled(page != nullptr && page->selection()->can_redo());
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
  if (event->mimeData()->hasUrls()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
  QStringList files;
  for (const QUrl& url : event->mimeData()->urls()) {
    if (url.isLocalFile()) files << url.toLocalFile();
  }
  if (!files.isEmpty()) open(files);
  event->acceptProposedAction();
}

void MainWindow::closeEvent(QCloseEvent* event) {
  save();
  event->accept();
}

}  // namespace mansard
