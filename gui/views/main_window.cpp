// SPDX-License-Identifier: Apache-2.0
#include "gui/views/main_window.h"

#include <QCloseEvent>
#include <QDragEnterEvent>
#include <QFileInfo>
#include <QMenuBar>
#include <QMimeData>
#include <QStackedWidget>
#include <QStatusBar>

#include "gui/models/recent_files.h"
#include "gui/views/export_view.h"
#include "gui/views/run_page.h"
#include "gui/views/run_view.h"
#include "gui/views/tab_sides.h"
#include "gui/views/welcome_page.h"

namespace mansard::gui {
namespace {

// One file may have several names; one that is gone has the name it is called by.
QString identity_of(const QString& file) {
  const QFileInfo info(file);
  const QString canonical = info.canonicalFilePath();
  return canonical.isEmpty() ? info.absoluteFilePath() : canonical;
}

}  // namespace

MainWindow::MainWindow(QStringList machines, QSettings* settings, RunLoader loader)
    : machines_(std::move(machines)),
      settings_(settings),
      loader_(std::move(loader)),
      stack_(new QStackedWidget(this)),
      welcome_(new WelcomePage(this)),
      sides_(new TabSides(this)) {
  setWindowTitle(QStringLiteral("Mansard"));
  setAcceptDrops(true);
  resize(1280, 800);

  stack_->addWidget(welcome_);
  stack_->addWidget(sides_);
  setCentralWidget(stack_);

  make_file_menu();
  make_edit_menu();
  make_view_menu();
  make_tools_menu();
  make_help_menu();
  if (settings_ != nullptr) welcome_->set_recent(RecentFiles(settings_).all());
  connect(welcome_, &WelcomePage::chosen, this, [this](const QString& file) { open({file}); });
  connect(welcome_, &WelcomePage::characterize_asked, this, &MainWindow::characterize);
  connect(welcome_, &WelcomePage::profile_asked, this, &MainWindow::profile);
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

void MainWindow::open(const QStringList& files) {
  RunPage* first = nullptr;
  for (const QString& file : files) {
    RunPage* shown = page_of(file);
    if (shown == nullptr) {
      auto document = std::make_unique<RunDocument>(nullptr, loader_);
      RunDocument* loading = document.get();
      shown = new RunPage(std::move(document), this);
      if (RunPage* before = current_page()) keep_arrangement(*before);
      if (!arrangement_.isEmpty()) shown->arrange(arrangement_);
      shown->set_movable(movable_->isChecked());
      connect(shown->selection(), &SelectionModel::history_changed, this,
              &MainWindow::follow_history);
      loading->open(file, machines_);
      if (settings_ != nullptr) {
        connect(loading, &RunDocument::changed, this, [this, loading] {
          if (loading->state() == RunDocument::State::ready) {
            RecentFiles(settings_).add(loading->file());
          }
        });
      }
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

void MainWindow::add_machines(const QStringList& files) {
  machines_ += files;
  for (int i = 0; i < page_count(); ++i) {
    page(i)->document()->open(page(i)->document()->file(), machines_);
  }
}

RunPage* MainWindow::page(int index) const { return qobject_cast<RunPage*>(sides_->page(index)); }

RunPage* MainWindow::page_of(const QString& file) const {
  for (int i = 0; i < page_count(); ++i) {
    if (identity_of(page(i)->document()->file()) == identity_of(file)) return page(i);
  }
  return nullptr;
}

RunPage* MainWindow::current_page() const { return qobject_cast<RunPage*>(sides_->current()); }
int MainWindow::page_count() const { return sides_->count(); }

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
  keep_arrangement(*page);
  sides_->remove(page);
  page->deleteLater();
  if (settings_ != nullptr) welcome_->set_recent(RecentFiles(settings_).all());
  stack_->setCurrentIndex(page_count() > 0 ? 1 : 0);
}

void MainWindow::keep_arrangement(const RunPage& page) {
  if (const QByteArray arrangement = page.arrangement(); !arrangement.isEmpty()) {
    arrangement_ = arrangement;
  }
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
  if (!stop_tools()) return event->ignore();
  save();
  event->accept();
}

}  // namespace mansard::gui
