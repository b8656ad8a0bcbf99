// SPDX-License-Identifier: Apache-2.0
#include "gui/views/main_window.h"

#include <QDockWidget>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QLabel>
#include <QMenuBar>
#include <QMessageBox>
#include <QMimeData>
#include <QStackedWidget>
#include <QTabWidget>

#include "gui/views/details_view.h"
#include "gui/views/kernel_table_view.h"
#include "gui/views/roofline_view.h"
#include "gui/views/run_page.h"

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
    "<tr><td><b>Ctrl+wheel, Shift+wheel</b></td><td>zoom intensity only, performance only</td></tr>"
    "<tr><td><b>Drag, arrows</b></td><td>pan</td></tr>"
    "<tr><td><b>Double click, 0, Home</b></td><td>show everything</td></tr>"
    "<tr><td><b>Click</b></td><td>select a kernel; on a class above the figure: filter by "
    "it</td></tr>"
    "<tr><td><b>N, P</b></td><td>next and previous kernel by time</td></tr>"
    "<tr><td><b>T</b></td><td>next memory tier</td></tr>"
    "<tr><td><b>Esc</b></td><td>select nothing</td></tr>"
    "<tr><td><b>Ctrl+F</b></td><td>filter</td></tr></table>");

}  // namespace

MainWindow::MainWindow(QStringList machines, RunLoader loader)
    : machines_(std::move(machines)),
      loader_(std::move(loader)),
      stack_(new QStackedWidget(this)),
      tabs_(new QTabWidget(this)),
      dock_(new QDockWidget(tr("Details"), this)),
      details_(new DetailsView(this)) {
  setWindowTitle(QStringLiteral("Mansard"));
  setAcceptDrops(true);
  resize(1280, 800);

  auto* welcome = new QLabel(tr(kWelcome), this);
  welcome->setAlignment(Qt::AlignCenter);
  tabs_->setTabsClosable(true);
  tabs_->setMovable(true);
  tabs_->setDocumentMode(true);
  stack_->addWidget(welcome);
  stack_->addWidget(tabs_);
  setCentralWidget(stack_);

  dock_->setObjectName(QStringLiteral("details"));
  dock_->setWidget(details_);
  addDockWidget(Qt::RightDockWidgetArea, dock_);
  resizeDocks({dock_}, {300}, Qt::Horizontal);
  dock_->hide();

  make_menus();
  menuBar()->actions().at(1)->menu()->addAction(dock_->toggleViewAction());
  connect(tabs_, &QTabWidget::tabCloseRequested, this, &MainWindow::close_page);
  connect(tabs_, &QTabWidget::currentChanged, this, &MainWindow::show_page);
}

void MainWindow::make_menus() {
  QMenu* file = menuBar()->addMenu(tr("&File"));
  file->addAction(tr("&Open..."), QKeySequence::Open, this, &MainWindow::ask_for_files);
  file->addAction(tr("Use &machine model..."), QKeySequence(Qt::CTRL | Qt::Key_M), this,
                  &MainWindow::ask_for_machine);
  file->addAction(tr("&Reload"), QKeySequence(Qt::Key_F5), this, [this] {
    if (RunPage* page = current_page()) page->document()->reload();
  });
  file->addSeparator();
  file->addAction(tr("&Close"), QKeySequence(Qt::CTRL | Qt::Key_W), this,
                  [this] { close_page(tabs_->currentIndex()); });
  file->addAction(tr("&Quit"), QKeySequence::Quit, this, &QWidget::close);

  QMenu* view = menuBar()->addMenu(tr("&View"));
  view->addAction(tr("&Filter"), QKeySequence::Find, this, [this] {
    if (RunPage* page = current_page()) page->table()->focus_filter();
  });
  view->addAction(tr("Show &everything"), QKeySequence(Qt::CTRL | Qt::Key_0), this, [this] {
    if (RunPage* page = current_page()) page->roofline()->reset_zoom();
  });

  QMenu* help = menuBar()->addMenu(tr("&Help"));
  help->addAction(tr("&Keys and mouse"), QKeySequence::HelpContents, this,
                  [this] { QMessageBox::information(this, tr("Keys and mouse"), tr(kKeys)); });
  help->addAction(tr("&About Mansard"), this, [this] {
    QMessageBox::about(this, tr("About Mansard"),
                       tr("Mansard %1\n\nRoofline and performance analysis.\nApache License 2.0")
                           .arg(QStringLiteral(MANSARD_VERSION)));
  });
}

void MainWindow::open(const QStringList& files) {
  for (const QString& file : files) {
    const QString path = QFileInfo(file).absoluteFilePath();
    bool shown = false;
    for (int i = 0; i < page_count() && !shown; ++i) {
      if (QFileInfo(page(i)->document()->file()).absoluteFilePath() != path) continue;
      tabs_->setCurrentIndex(i);
      shown = true;
    }
    if (shown) continue;
    auto document = std::make_unique<RunDocument>(nullptr, loader_);
    RunDocument* loading = document.get();
    auto* added = new RunPage(std::move(document), this);
    connect(added->selection(), &SelectionModel::selected_changed, this, &MainWindow::show_details);
    connect(loading, &RunDocument::changed, this, &MainWindow::show_details);
    loading->open(file, machines_);
    const int index = tabs_->addTab(added, QFileInfo(file).fileName());
    tabs_->setTabToolTip(index, path);
    // The first of several files is the one to look at first.
    if (file == files.front()) tabs_->setCurrentIndex(index);
  }
  stack_->setCurrentIndex(page_count() > 0 ? 1 : 0);
}

void MainWindow::add_machines(const QStringList& files) {
  machines_ += files;
  for (int i = 0; i < page_count(); ++i) {
    page(i)->document()->open(page(i)->document()->file(), machines_);
  }
}

RunPage* MainWindow::page(int index) const { return qobject_cast<RunPage*>(tabs_->widget(index)); }
RunPage* MainWindow::current_page() const { return page(tabs_->currentIndex()); }
int MainWindow::page_count() const { return tabs_->count(); }

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

void MainWindow::close_page(int index) {
  RunPage* closing = page(index);
  if (closing == nullptr) return;
  tabs_->removeTab(index);
  closing->deleteLater();
  stack_->setCurrentIndex(page_count() > 0 ? 1 : 0);
}

void MainWindow::show_page() {
  RunPage* page = current_page();
  setWindowTitle(page == nullptr ? QStringLiteral("Mansard")
                                 : tr("%1 - Mansard").arg(page->document()->title()));
  show_details();
}

void MainWindow::show_details() {
  RunPage* page = current_page();
  details_->show_row(page == nullptr ? nullptr : page->selected_row());
  // Only when it changes, so that a user who closed the dock is not contradicted at every click.
  const auto run = page == nullptr ? nullptr : page->document()->run();
  const bool has_rows = run && !run->rows.empty();
  if (has_rows != has_rows_) dock_->setVisible(has_rows);
  has_rows_ = has_rows;
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

}  // namespace mansard
