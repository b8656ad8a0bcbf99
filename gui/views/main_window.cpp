// SPDX-License-Identifier: Apache-2.0
#include "gui/views/main_window.h"

#include <QCloseEvent>
#include <QDockWidget>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenuBar>
#include <QMessageBox>
#include <QMimeData>
#include <QPointer>
#include <QStackedWidget>
#include <QStatusBar>

#include "gui/models/pinned_rows.h"
#include "gui/models/recent_files.h"
#include "gui/models/run_entries.h"
#include "gui/models/session.h"
#include "gui/views/bookmark_menu.h"
#include "gui/views/characterize_dialog.h"
#include "gui/views/export_view.h"
#include "gui/views/filter_bar.h"
#include "gui/views/help_window.h"
#include "gui/views/job_page.h"
#include "gui/views/painting.h"
#include "gui/views/profile_dialog.h"
#include "gui/views/run_page.h"
#include "gui/views/run_view.h"
#include "gui/views/run_views.h"
#include "gui/views/search_palette.h"
#include "gui/views/tab_sides.h"
#include "gui/views/timeline_view.h"
#include "gui/views/welcome_page.h"

namespace mansard::gui {
namespace {

// The canonical path, which is the same for all links to a file; for a missing file, its absolute
// path.
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
  make_toolbar();
  if (settings_ != nullptr) welcome_->set_recent(RecentFiles(settings_).all());
  connect(welcome_, &WelcomePage::chosen, this, [this](const QString& file) { open({file}); });
  connect(welcome_, &WelcomePage::example_chosen, this, &MainWindow::open_example);
  connect(welcome_, &WelcomePage::characterize_asked, this, &MainWindow::characterize);
  connect(welcome_, &WelcomePage::profile_asked, this, &MainWindow::profile);
  connect(sides_, &TabSides::current_changed, this, &MainWindow::show_page);
  connect(sides_, &TabSides::close_requested, this, &MainWindow::close_page);
  show_page();
}

MainWindow::~MainWindow() = default;

QAction* MainWindow::add_page_action(QMenu* menu, const QString& text, const QKeySequence& keys,
                                     std::function<void(RunPage&)> run,
                                     std::function<void(JobPage&)> run_on_job) {
  const bool for_jobs = run_on_job != nullptr;
  QAction* action = menu->addAction(
      text, keys, this, [this, run = std::move(run), run_on_job = std::move(run_on_job)] {
        if (RunPage* page = current_page()) run(*page);
        if (JobPage* job = current_job(); job != nullptr && run_on_job) run_on_job(*job);
      });
  page_actions_.push_back({action, for_jobs});
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
        remember_pins(*shown);
        connect(loading, &RunDocument::changed, this, [this, loading] {
          if (loading->state() == RunDocument::State::ready) {
            RecentFiles(settings_).add(loading->file());
          }
        });
      }
      sides_->add(shown, QFileInfo(file).fileName(), QFileInfo(file).absoluteFilePath());
    }
    if (first == nullptr) first = shown;  // the first of several files comes to the front
  }
  if (first != nullptr) sides_->set_current(first);
  stack_->setCurrentIndex(sides_->count() > 0 ? 1 : 0);
}

// Restores the pinned rows of the page's file, and stores them when they change.
void MainWindow::remember_pins(RunPage& page) {
  auto* timeline = qobject_cast<TimelineView*>(page.view(QStringLiteral("timeline")));
  const QString file = page.document()->file();
  timeline->set_pins(PinnedRows(settings_, file).all());
  connect(timeline, &TimelineView::pins_changed, this,
          [this, timeline, file] { PinnedRows(settings_, file).set(timeline->pins()); });
}

void MainWindow::compare(const QString& run, const QString& baseline) {
  open({run, baseline});
  RunPage* shown = page_of(run);
  RunPage* other = page_of(baseline);
  if (shown != other) shown->set_baseline(other->document());
}

void MainWindow::open_example(const Example& example) {
  for (const QString& machine : example.machines) {
    if (!machines_.contains(machine)) machines_ << machine;
  }
  if (example.baseline.isEmpty()) return open({example.file});
  compare(example.file, example.baseline);
}

void MainWindow::add_machines(const QStringList& files) {
  machines_ += files;
  for (int i = 0; i < page_count(); ++i) {
    page(i)->document()->open(page(i)->document()->file(), machines_);
  }
}

std::vector<RunPage*> MainWindow::pages() const {
  std::vector<RunPage*> pages;
  for (int i = 0; i < sides_->count(); ++i) {
    if (auto* page = qobject_cast<RunPage*>(sides_->page(i))) pages.push_back(page);
  }
  return pages;
}

RunPage* MainWindow::page(int index) const {
  const std::vector<RunPage*> all = pages();
  return index < static_cast<int>(all.size()) ? all[static_cast<std::size_t>(index)] : nullptr;
}

RunPage* MainWindow::page_of(const QString& file) const {
  for (int i = 0; i < page_count(); ++i) {
    if (identity_of(page(i)->document()->file()) == identity_of(file)) return page(i);
  }
  return nullptr;
}

RunPage* MainWindow::current_page() const { return qobject_cast<RunPage*>(sides_->current()); }
int MainWindow::page_count() const { return static_cast<int>(pages().size()); }

View* MainWindow::current_view() const {
  if (RunPage* page = current_page()) return page->current_view();
  JobPage* job = current_job();
  return job == nullptr ? nullptr : job->current_view();
}

bool MainWindow::export_current_view(const QString& file) {
  View* view = current_view();
  if (view == nullptr) return false;
  try {
    export_view(*view, file);
    statusBar()->showMessage(tr("Saved %1").arg(file));
    return true;
  } catch (const std::exception& e) {
    statusBar()->showMessage(QString::fromUtf8(e.what()));
    return false;
  }
}

void MainWindow::close_page(QWidget* page) {
  if (page == nullptr) return;
  if (auto* closed = qobject_cast<RunPage*>(page)) {
    for (RunPage* other : pages()) {
      if (other->baseline() == closed->document()) other->set_baseline(nullptr);
    }
    keep_arrangement(*closed);
  }
  sides_->remove(page);
  page->deleteLater();
  if (settings_ != nullptr) welcome_->set_recent(RecentFiles(settings_).all());
  stack_->setCurrentIndex(sides_->count() > 0 ? 1 : 0);
}

void MainWindow::keep_arrangement(const RunPage& page) {
  if (const QByteArray arrangement = page.arrangement(); !arrangement.isEmpty()) {
    arrangement_ = arrangement;
  }
}

void MainWindow::show_page() {
  RunPage* page = current_page();
  JobPage* job = current_job();
  const QString title = page != nullptr  ? page->document()->title()
                        : job != nullptr ? job->document()->title()
                                         : QString();
  setWindowTitle(title.isEmpty() ? QStringLiteral("Mansard") : tr("%1 - Mansard").arg(title));
  for (const PageAction& each : page_actions_) {
    each.action->setEnabled(page != nullptr || (job != nullptr && each.for_jobs));
  }
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
  if (!files.isEmpty()) open_arguments(files);
  event->acceptProposedAction();
}

void MainWindow::closeEvent(QCloseEvent* event) {
  if (!stop_tools()) return event->ignore();
  save();
  event->accept();
}

// The dialogs that the actions open.
void MainWindow::ask_for_files() {
  const QStringList files = QFileDialog::getOpenFileNames(
      this, tr("Open profiles or machine models"), {},
      tr("Profiles, traces and machine models (*.sqlite *.db *.json *.json.gz);;All files (*)"));
  if (!files.isEmpty()) open_arguments(files);
}

void MainWindow::ask_for_machine() {
  const QStringList files = QFileDialog::getOpenFileNames(this, tr("Use machine models"), {},
                                                          tr("Machine models (*.json)"));
  if (!files.isEmpty()) add_machines(files);
}

void MainWindow::ask_for_export() {
  View* view = current_view();
  if (view == nullptr) return;
  RunPage* page = current_page();
  const QString of = page != nullptr ? QFileInfo(page->document()->file()).completeBaseName()
                                     : QStringLiteral("job");
  const QString proposed =
      QStringLiteral("%1-%2.%3")
          .arg(of, page != nullptr ? view->parentWidget()->objectName() : view->objectName(),
               view->is_figure() ? QStringLiteral("svg") : QStringLiteral("csv"));
  const QString file =
      QFileDialog::getSaveFileName(this, tr("Export %1").arg(view->accessibleName()), proposed,
                                   tr("Figures and tables (*.svg *.png *.csv)"));
  if (!file.isEmpty()) export_current_view(file);
}

// Help, the search palette and the tool dialogs, which are not modal.
HelpWindow& MainWindow::help_window() {
  if (help_ == nullptr) help_ = new HelpWindow(this);
  return *help_;
}

void MainWindow::help(const QString& page) {
  help_window().open(page);
  help_->show();
  help_->raise();
}

SearchPalette* MainWindow::palette_of_names() {
  if (palette_ == nullptr) palette_ = new SearchPalette(this);
  return palette_;
}

void MainWindow::ask_palette() {
  std::vector<PaletteEntry> entries;
  if (RunPage* page = current_page()) entries = entries_of(*page->selection());
  for (int i = 0; i < page_count(); ++i) {
    QPointer<RunPage> other = page(i);
    entries.push_back(
        {other->document()->title(), other->document()->file(), tr("Open tab"), [this, other] {
           if (other) sides_->set_current(other);
         }});
  }
  fill_compare_menu();  // these menus are otherwise filled when they open
  fill_view_menu();
  for (PaletteEntry& command : entries_of(*menuBar())) entries.push_back(std::move(command));
  for (PaletteEntry& page :
       entries_of(help_window().pages(), [this](const QString& link) { help(link); })) {
    entries.push_back(std::move(page));
  }
  palette_of_names()->ask(std::move(entries));
}

CharacterizeDialog* MainWindow::characterize() { return show_tool(characterize_); }
ProfileDialog* MainWindow::profile() { return show_tool(profile_); }

template <class Dialog>
Dialog* MainWindow::show_tool(Dialog*& dialog) {
  if (dialog == nullptr) wire(dialog = new Dialog(this));
  dialog->show();
  dialog->raise();
  return dialog;
}

void MainWindow::wire(ToolDialog* dialog) {
  connect(dialog, &ToolDialog::finished_with, this, [this](const QString& file) {
    if (RunPage* shown = page_of(file)) shown->document()->reload();
    open({file});
  });
  connect(dialog, &ToolDialog::recording_started, this, [this](const QString& file) {
    statusBar()->showMessage(tr("Recording %1").arg(file));
    open({file});
  });
}

bool MainWindow::stop_tools() {
  for (ToolDialog* dialog :
       {static_cast<ToolDialog*>(characterize_), static_cast<ToolDialog*>(profile_)}) {
    if (dialog == nullptr || !dialog->is_running()) continue;
    dialog->ask_to_stop([this] { close(); });
    return false;
  }
  return true;
}

// The session, stored for the next start.
void MainWindow::restore_looks() {
  if (settings_ == nullptr) return;
  const Session session = read_session(*settings_);
  restoreGeometry(session.geometry);
  arrangement_ = session.arrangement;
}

void MainWindow::restore_session() {
  if (settings_ == nullptr) return;
  const Session session = read_session(*settings_);
  for (const QString& machine : session.machines) {
    if (QFileInfo::exists(machine) && !machines_.contains(machine)) machines_ << machine;
  }
  for (const SessionJob& job : session.jobs) open_job(job.files, job.summaries);
  for (const SessionPage& saved : session.pages) {
    if (!QFileInfo::exists(saved.file)) continue;
    open({saved.file});
    RunPage* shown = page_of(saved.file);
    if (saved.second_side != sides_->on_second_side(shown)) sides_->move_to_other_side(shown);
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
  for (JobPage* job : jobs()) {
    QStringList files;
    for (const QString& file : job->document()->files()) files << path(file);
    const QString summaries = job->document()->summaries();
    session.jobs.push_back({files, summaries.isEmpty() ? summaries : path(summaries)});
  }
  if (RunPage* shown = current_page()) {
    session.current = path(shown->document()->file());
    keep_arrangement(*shown);
  }
  for (const QString& machine : machines_) session.machines << path(machine);
  session.geometry = saveGeometry();
  session.arrangement = arrangement_;
  save_session(session, *settings_);
}

}  // namespace mansard::gui
