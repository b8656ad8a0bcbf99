// SPDX-License-Identifier: Apache-2.0
#include "gui/views/run_page.h"

#include <QApplication>
#include <QCheckBox>
#include <QChildEvent>
#include <QDockWidget>
#include <QHBoxLayout>
#include <QHelpEvent>
#include <QLabel>
#include <QMainWindow>
#include <QStackedWidget>
#include <QTabBar>
#include <QTimer>
#include <QToolButton>
#include <QToolTip>
#include <QVBoxLayout>
#include <algorithm>

#include "analyzer/attribution/range_stacks.h"
#include "analyzer/numerics/training_curve.h"
#include "gui/models/answer_texts.h"
#include "gui/models/carried_state.h"
#include "gui/models/live_refresh.h"
#include "gui/models/row_facts.h"
#include "gui/views/filter_bar.h"
#include "gui/views/load_page.h"
#include "gui/views/notes_bar.h"
#include "gui/views/roofline_view.h"
#include "gui/views/run_views.h"
#include "gui/views/timeline_view.h"

namespace mansard::gui {
namespace {

// Version of saved dock layouts. Change it when views are added or removed.
constexpr int kArrangement = 5;

bool has(const analysis::RunAnalysis& run, Needs needs) {
  switch (needs) {
    case Needs::machine:
      return !analysis::is_training_record(run);
    case Needs::rows:
    case Needs::launches:
      return !run.rows.empty();
    case Needs::kernels:
      return std::ranges::any_of(run.rows, [](const analysis::KernelRow& row) {
        return row.target == kernels::Target::cuda;
      });
    case Needs::ranges:
      return !run.profile.kernels.empty() &&
             std::ranges::any_of(run.profile.nvtx, analysis::is_whole_range);
    case Needs::training:
      return analysis::has_training_record(run.profile);
  }
  return false;
}

Needs needs_of(const QDockWidget& dock) {
  const auto spec = std::ranges::find_if(run_views(), [&](const RunViewSpec& s) {
    return dock.objectName() == QLatin1String(s.name);
  });
  return spec->needs;
}

// Otherwise the tab that needs the most height leaves too little to the views below.
constexpr int kLeastView_px = 120;

const QString kFirstView = QStringLiteral("step_time");

QStringList notes_of(const analysis::RunAnalysis& run, const figure::PlaneFigure& figure) {
  QStringList notes;
  for (const std::string& note : run.notes) notes << QString::fromStdString(note);
  // The analysis reports rows with unknown work in a note. Other rows have bytes but no FLOPs
  // (memcpys): they have a SOL time, but no position in a roofline.
  std::vector<bool> drawn(run.rows.size(), false);
  for (const figure::PlanePoint& point : figure.points) drawn[point.row] = true;
  std::int64_t count = 0;
  double share = 0;
  for (std::size_t i = 0; i < run.rows.size(); ++i) {
    if (drawn[i] || run.rows[i].origin == analysis::WorkOrigin::none) continue;
    ++count;
    share += run.rows[i].share;
  }
  if (count > 0) {
    notes << QObject::tr(
                 "Not in the roofline because FLOPs or bytes are unknown: %1, %2 of the time.")
                 .arg(count_text(count, "kernel signature", "kernel signatures"),
                      percent_text(share));
  }
  return notes;
}

}  // namespace

RunPage::RunPage(std::unique_ptr<RunDocument> document, QWidget* parent)
    : QWidget(parent),
      document_(std::move(document)),
      selection_(new SelectionModel(this)),
      stack_(new QStackedWidget(this)),
      load_(new LoadPage(document_.get(), this)),
      live_(new LiveRefresh(document_.get(), this)),
      follow_(new QCheckBox(tr("Follow the recording"), this)),
      cancel_(new QToolButton(this)),
      summary_(new QLabel(this)),
      first_(new QLabel(this)),
      notes_(new NotesBar(this)),
      filter_(new FilterBar(selection_, this)),
      dock_area_(new QMainWindow(this, Qt::Widget)) {
  summary_->setTextFormat(Qt::PlainText);
  summary_->setContentsMargins(10, 6, 10, 2);
  summary_->setToolTip(
      tr("Typical step: mean of the steps within 10 % of the median, without those in which "
         "counters were read. Idle: nothing runs on the GPU."));

  first_->setTextFormat(Qt::PlainText);
  first_->setWordWrap(true);
  first_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  first_->setContentsMargins(10, 0, 10, 4);
  summary_->setObjectName(QStringLiteral("summary"));
  first_->setObjectName(QStringLiteral("first_changes"));
  QFont strong = summary_->font();
  strong.setBold(true);
  summary_->setFont(strong);

  dock_area_->installEventFilter(this);
  dock_area_->setDockNestingEnabled(true);
  dock_area_->setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
  for (const RunViewSpec& spec : run_views()) {
    RunView* made = spec.make(selection_);
    made->setMinimumHeight(kLeastView_px);
    auto* holder = new QDockWidget(tr(spec.title), dock_area_);
    holder->setObjectName(QString::fromUtf8(spec.name));
    holder->setWidget(made);
    docks_.push_back(holder);
    views_.emplace(holder->objectName(), made);
  }
  auto* timeline = qobject_cast<TimelineView*>(view(QStringLiteral("timeline")));
  connect(filter_, &FilterBar::step_asked, timeline, &TimelineView::step_match);
  arrange_as_new();
  set_movable(false);
  current_ = view(kFirstView);
  connect(qApp, &QApplication::focusChanged, this,
          [this](QWidget*, QWidget* now) { note_focus(now); });

  auto* content = new QWidget(this);
  auto* column = new QVBoxLayout(content);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  auto* head = new QHBoxLayout;
  head->setContentsMargins(0, 0, 10, 0);
  head->addWidget(summary_, 1);
  head->addWidget(cancel_);
  head->addWidget(follow_);
  column->addLayout(head);
  column->addWidget(first_);
  column->addWidget(notes_);
  column->addWidget(filter_);
  column->addWidget(dock_area_, 1);

  stack_->addWidget(load_);
  stack_->addWidget(content);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(stack_);

  cancel_->setText(tr("Cancel"));
  cancel_->setToolTip(tr("Stop loading; nothing of this profile is shown"));
  connect(cancel_, &QToolButton::clicked, document_.get(), &RunDocument::cancel);
  follow_->setToolTip(tr("Reload the profile while it is still being written"));
  follow_->setChecked(live_->follows());
  follow_->hide();
  connect(follow_, &QCheckBox::toggled, live_, &LiveRefresh::set_follows);
  connect(live_, &LiveRefresh::recording_changed, this,
          [this] { follow_->setVisible(live_->is_recording()); });
  connect(document_.get(), &RunDocument::changed, this, &RunPage::show_document);
  connect(document_.get(), &RunDocument::progress_changed, this, &RunPage::show_summary);
  show_document();
}

RunPage::~RunPage() {
  disconnect(qApp, nullptr, this, nullptr);  // deleting the views moves the focus
}

RooflineView* RunPage::roofline() const {
  return qobject_cast<RooflineView*>(view(QStringLiteral("roofline")));
}

QDockWidget* RunPage::dock(const QString& name) const {
  const auto found = std::ranges::find(docks_, name, &QObject::objectName);
  return found == docks_.end() ? nullptr : *found;
}

RunView* RunPage::view(const QString& name) const {
  const auto found = views_.find(name);
  return found == views_.end() ? nullptr : found->second;
}

void RunPage::raise_view(const QString& name) {
  QDockWidget* shown = dock(name);
  if (shown == nullptr) return;
  shown->show();
  shown->raise();
  view(name)->setFocus(Qt::OtherFocusReason);
  current_ = view(name);
  Q_EMIT current_view_changed();
}

void RunPage::note_focus(QWidget* now) {
  for (const auto& [name, shown] : views_) {
    if (now == nullptr || (now != shown && !shown->isAncestorOf(now)) || shown == current_)
      continue;
    current_ = shown;
    Q_EMIT current_view_changed();
    return;
  }
}

void RunPage::arrange_as_new() {
  // Place the first dock of each place before adding the others as tabs: a tabbed dock cannot be
  // split.
  std::map<Place, QDockWidget*> first;
  for (std::size_t i = 0; i < docks_.size(); ++i) {
    dock_area_->removeDockWidget(docks_[i]);
    docks_[i]->setFloating(false);
    first.try_emplace(run_views()[i].place, docks_[i]);
  }
  for (const auto& [place, dock] : first) {
    const bool figures = place == Place::figures || place == Place::details;
    dock_area_->addDockWidget(figures ? Qt::TopDockWidgetArea : Qt::BottomDockWidgetArea, dock,
                              figures ? Qt::Horizontal : Qt::Vertical);
  }
  for (std::size_t i = 0; i < docks_.size(); ++i) {
    QDockWidget* front = first.at(run_views()[i].place);
    if (front != docks_[i]) dock_area_->tabifyDockWidget(front, docks_[i]);
    docks_[i]->show();
  }
  for (const auto& [place, dock] : first) dock->raise();
  size_docks();
}

void RunPage::set_movable(bool movable) {
  for (QDockWidget* dock : docks_) {
    if (!movable) dock->setFloating(false);  // it cannot be moved without a title bar
    QWidget* bar = dock->titleBarWidget();
    dock->setTitleBarWidget(movable ? nullptr : new QWidget(dock));  // zero height
    delete bar;
    dock->setFeatures(movable ? QDockWidget::DockWidgetClosable | QDockWidget::DockWidgetMovable |
                                    QDockWidget::DockWidgetFloatable
                              : QDockWidget::DockWidgetClosable);
  }
}

void RunPage::size_docks() {
  const auto first_of = [](Place place) {
    return std::ranges::find(run_views(), place, &RunViewSpec::place) - run_views().begin();
  };
  QList<QDockWidget*> tall;
  QList<int> heights;
  for (const auto& [place, px] : {std::pair{Place::figures, 1}, {Place::launches, 1}}) {
    const auto index = static_cast<std::size_t>(first_of(place));
    if (index == docks_.size()) continue;
    tall << docks_[index];
    heights << px;
  }
  dock_area_->resizeDocks(tall, heights, Qt::Vertical);
  dock_area_->resizeDocks({docks_[static_cast<std::size_t>(first_of(Place::figures))],
                           docks_[static_cast<std::size_t>(first_of(Place::details))]},
                          {960, 300}, Qt::Horizontal);
}

QByteArray RunPage::arrangement() const {
  const bool is_usual = std::ranges::all_of(
      hidden_, [](const QDockWidget* dock) { return is_often_missing(needs_of(*dock)); });
  return is_usual ? dock_area_->saveState(kArrangement) : QByteArray();
}

bool RunPage::arrange(const QByteArray& arrangement) {
  if (!dock_area_->restoreState(arrangement, kArrangement)) return false;
  // The page that it comes from may have had another run.
  for (QDockWidget* dock : docks_) {
    if (is_often_missing(needs_of(*dock))) dock->show();
  }
  hidden_.clear();
  if (run_) show_docks_of(run_->analysis);
  return true;
}

QString RunPage::message() const {
  return stack_->currentWidget() == load_ ? load_->text() : QString();
}

void RunPage::show_document() {
  const auto whole = document_->open_run();
  const auto run = whole ? whole : document_->preview();
  if (!run) stack_->setCurrentIndex(0);
  show_summary();
  if (run == run_) return;
  const auto last = std::exchange(run_, run);
  selection_->set_run(run,
                      last && run ? carried_state(selection_->state(), *last, *run) : ViewState());
  for (const RunViewSpec& spec : run_views()) {
    RunView* shown = view(QString::fromUtf8(spec.name));
    shown->set_awaits_run(run != whole);
    const bool after_launches = spec.needs == Needs::launches || spec.needs == Needs::kernels;
    shown->set_run(after_launches ? whole : run);
  }
  filter_->setEnabled(whole != nullptr);
  cancel_->setVisible(run != whole);
  show_baseline();
  if (!run) return;
  show_docks_of(run->analysis);
  // A restored layout takes effect with the first event after the page is shown.
  if (!last || last->is_first_look) QTimer::singleShot(0, this, &RunPage::choose_front);
  filter_->setVisible(!run->analysis.rows.empty());
  show_summary();
  notes_->set_notes(notes_of(run->analysis, roofline()->scene().figure()));
  stack_->setCurrentIndex(1);
}

bool RunPage::in_front(const QString& name) const {
  const QDockWidget* shown = dock(name);
  for (const QTabBar* bar : dock_area_->findChildren<QTabBar*>(Qt::FindDirectChildrenOnly)) {
    for (int i = 0; i < bar->count(); ++i) {
      if (bar->tabText(i) == shown->windowTitle()) return i == bar->currentIndex();
    }
  }
  return !shown->isHidden();
}

// A plane without points tells nothing about the run, and a step without launches neither.
void RunPage::choose_front() {
  if (!run_) return;
  const QString first =
      has(run_->analysis, Needs::kernels) ? kFirstView : QStringLiteral("findings");
  const QString roofline_name = QStringLiteral("roofline");
  const bool has_points = !roofline()->scene().figure().points.empty();
  if (run_->is_first_look) {
    shows_look_ = has_points && in_front(kFirstView);
    if (shows_look_) dock(roofline_name)->raise();
    return;
  }
  const bool was_look = std::exchange(shows_look_, false);
  if (!has(run_->analysis, Needs::rows)) return;
  for (const char* plane : {"roofline", "time_plane", "complexity_plane"}) {
    const QString name = QString::fromUtf8(plane);
    const bool leave = !has_points || (was_look && name == roofline_name);
    if (leave && in_front(name)) dock(first)->raise();
  }
}

// Hides docks that would be empty for this run; docks closed by the user stay closed.
void RunPage::show_docks_of(const analysis::RunAnalysis& run) {
  for (QDockWidget* dock : docks_) {
    if (has(run, needs_of(*dock))) {
      if (hidden_.erase(dock) > 0) dock->show();
    } else if (!dock->isHidden()) {
      hidden_.insert(dock);
      dock->hide();
    }
  }
  if (!current_ || !static_cast<QDockWidget*>(current_->parentWidget())->isHidden()) return;
  const auto shown = std::ranges::find_if_not(docks_, &QDockWidget::isHidden);
  if (shown == docks_.end()) return;
  current_ = view((*shown)->objectName());
  Q_EMIT current_view_changed();
}

void RunPage::set_baseline(RunDocument* baseline) {
  if (baseline_ != nullptr) baseline_->disconnect(this);
  baseline_ = baseline;
  if (baseline_ != nullptr) {
    connect(baseline_, &RunDocument::changed, this, &RunPage::show_baseline);
    connect(baseline_, &QObject::destroyed, this, [this] {
      baseline_ = nullptr;
      show_baseline();
    });
  }
  show_baseline();
}

void RunPage::show_baseline() {
  const auto run = baseline_ == nullptr ? nullptr : baseline_->open_run();
  for (const auto& [name, shown] : views_) shown->set_baseline(run_ ? run : nullptr);
  show_summary();
}

bool RunPage::eventFilter(QObject* watched, QEvent* event) {
  if (watched == dock_area_ && event->type() == QEvent::ChildPolished) {
    auto* bar = qobject_cast<QTabBar*>(static_cast<QChildEvent*>(event)->child());
    if (bar != nullptr) bar->installEventFilter(this);
  }
  auto* bar = qobject_cast<QTabBar*>(watched);
  if (bar == nullptr || event->type() != QEvent::ToolTip) {
    return QWidget::eventFilter(watched, event);
  }
  auto* help = static_cast<QHelpEvent*>(event);
  const QString title = bar->tabText(bar->tabAt(help->pos()));
  for (const RunViewSpec& spec : run_views()) {
    if (title == tr(spec.title)) QToolTip::showText(help->globalPos(), tr(spec.description), bar);
  }
  return true;
}

void RunPage::show_summary() {
  const FirstChanges first = run_ ? first_changes(*run_) : FirstChanges();
  first_->setText(first.text);
  first_->setToolTip(first.tool_tip);
  first_->setVisible(!first.text.isEmpty());
  if (!run_) return summary_->clear();
  QString text = device_and_times(*run_);
  if (baseline_ != nullptr) {
    using State = RunDocument::State;
    const State state = baseline_->state();
    text += kPartSeparator + (state == State::ready ? comparison_text(*run_, *baseline_)
                              : state == State::loading
                                  ? tr("loading baseline %1").arg(baseline_->title())
                                  : tr("cannot load baseline %1").arg(baseline_->title()));
  }
  if (document_->preview()) {
    text += kPartSeparator +
            tr("loading launches: %1, %2")
                .arg(document_->progress().stage, percent_text(document_->progress().fraction));
  } else if (document_->reloading()) {
    text += kPartSeparator + tr("reloading, %1").arg(percent_text(document_->progress().fraction));
  } else if (!document_->error().isEmpty()) {
    text += kPartSeparator + tr("reload failed: %1").arg(document_->error());
  }
  summary_->setText(text);
}

}  // namespace mansard::gui
