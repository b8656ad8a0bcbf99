// SPDX-License-Identifier: Apache-2.0
#include "gui/views/run_page.h"

#include <QApplication>
#include <QDockWidget>
#include <QLabel>
#include <QMainWindow>
#include <QStackedWidget>
#include <QVBoxLayout>
#include <algorithm>

#include "gui/models/row_facts.h"
#include "gui/views/filter_bar.h"
#include "gui/views/notes_bar.h"
#include "gui/views/roofline_view.h"
#include "gui/views/run_views.h"

namespace mansard {
namespace {

// Of the docks in saved arrangements; another number when views come or go.
constexpr int kArrangement = 1;

// "NVIDIA H200 | 3.21 s, busy 87 %"
QString summary_of(const RunAnalysis& run) {
  QStringList parts;
  parts << (run.machine ? QString::fromStdString(run.machine->device.name)
                        : QObject::tr("unknown machine"));
  if (run.span_s > 0) {
    parts << QObject::tr("%1, busy %2")
                 .arg(quantity_text(run.span_s, "s"), percent_text(run.busy_s / run.span_s));
  }
  return parts.join(QStringLiteral("   \u00b7   "));
}

QStringList notes_of(const RunAnalysis& run, const PlaneFigure& figure) {
  QStringList notes;
  for (const std::string& note : run.notes) notes << QString::fromStdString(note);
  // The analysis notes the rows whose work is not known; others have bytes but no FLOPs (copies),
  // and a speed of light, but no place on a roofline.
  std::vector<bool> drawn(run.rows.size(), false);
  for (const PlanePoint& point : figure.points) drawn[point.row] = true;
  std::int64_t count = 0;
  double share = 0;
  for (std::size_t i = 0; i < run.rows.size(); ++i) {
    if (drawn[i] || run.rows[i].origin == WorkOrigin::none) continue;
    ++count;
    share += run.rows[i].share;
  }
  if (count > 0) {
    notes << QObject::tr("In the table only, for want of FLOPs or of bytes: %1, %2 of the time.")
                 .arg(count_text(count, "kernel", "kernels"), percent_text(share));
  }
  return notes;
}

}  // namespace

RunPage::RunPage(std::unique_ptr<RunDocument> document, QWidget* parent)
    : QWidget(parent),
      document_(std::move(document)),
      selection_(new SelectionModel(this)),
      stack_(new QStackedWidget(this)),
      message_(new QLabel(this)),
      summary_(new QLabel(this)),
      notes_(new NotesBar(this)),
      filter_(new FilterBar(selection_, this)),
      dock_area_(new QMainWindow(this, Qt::Widget)) {
  message_->setAlignment(Qt::AlignCenter);
  message_->setWordWrap(true);
  message_->setTextFormat(Qt::PlainText);
  message_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  message_->setMargin(40);
  summary_->setTextFormat(Qt::PlainText);
  summary_->setContentsMargins(10, 6, 10, 2);

  dock_area_->setDockNestingEnabled(true);
  dock_area_->setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
  for (const RunViewSpec& spec : run_views()) {
    RunView* made = spec.make(selection_);
    auto* holder = new QDockWidget(tr(spec.title), dock_area_);
    holder->setObjectName(QString::fromUtf8(spec.name));
    holder->setWidget(made);
    docks_.push_back(holder);
    views_.emplace(holder->objectName(), made);
  }
  arrange_as_new();
  current_ = view(QStringLiteral("roofline"));
  connect(qApp, &QApplication::focusChanged, this,
          [this](QWidget*, QWidget* now) { note_focus(now); });

  auto* content = new QWidget(this);
  auto* column = new QVBoxLayout(content);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(summary_);
  column->addWidget(filter_);
  column->addWidget(notes_);
  column->addWidget(dock_area_, 1);

  stack_->addWidget(message_);
  stack_->addWidget(content);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(stack_);

  connect(document_.get(), &RunDocument::changed, this, &RunPage::show_document);
  show_document();
}

RunPage::~RunPage() = default;

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
  for (QDockWidget* dock : docks_) {
    dock_area_->removeDockWidget(dock);
    dock->setFloating(false);
  }
  // A place is opened by its first dock; those that share it come after all have been, as one place
  // cannot be split off another that has tabs already.
  std::map<Place, QDockWidget*> first;
  for (std::size_t i = 0; i < docks_.size(); ++i) {
    const Place place = run_views()[i].place;
    if (!first.try_emplace(place, docks_[i]).second) continue;
    if (place == Place::details) {
      dock_area_->splitDockWidget(first.at(Place::figures), docks_[i], Qt::Horizontal);
    } else {
      dock_area_->addDockWidget(
          place == Place::figures ? Qt::TopDockWidgetArea : Qt::BottomDockWidgetArea, docks_[i],
          Qt::Vertical);
    }
  }
  std::map<Place, QDockWidget*> last = first;
  for (std::size_t i = 0; i < docks_.size(); ++i) {
    QDockWidget*& before = last.at(run_views()[i].place);
    if (before != docks_[i]) {
      dock_area_->tabifyDockWidget(before, docks_[i]);
      before = docks_[i];
    }
    docks_[i]->show();
  }
  QList<QDockWidget*> tall;
  QList<int> heights;
  for (const auto& [place, px] :
       {std::pair{Place::figures, 360}, {Place::time, 170}, {Place::kernels, 170}}) {
    const auto found = first.find(place);
    if (found == first.end()) continue;
    tall << found->second;
    heights << px;
    found->second->raise();
  }
  dock_area_->resizeDocks(tall, heights, Qt::Vertical);
  if (first.contains(Place::details)) {
    dock_area_->resizeDocks({first.at(Place::figures), first.at(Place::details)}, {960, 300},
                            Qt::Horizontal);
  }
}

QByteArray RunPage::arrangement() const { return dock_area_->saveState(kArrangement); }

bool RunPage::arrange(const QByteArray& arrangement) {
  return dock_area_->restoreState(arrangement, kArrangement);
}

QString RunPage::message() const {
  return stack_->currentWidget() == message_ ? message_->text() : QString();
}

void RunPage::show_document() {
  const auto run = document_->open_run();
  if (!run) {
    const bool failed = document_->state() == RunDocument::State::failed;
    message_->setText(failed ? tr("Cannot show %1\n\n%2\n\nF5 tries again.")
                                   .arg(document_->title(), document_->error())
                             : tr("Loading %1 ...").arg(document_->title()));
    stack_->setCurrentIndex(0);
  }
  if (run == run_) return;
  run_ = run;
  selection_->set_run(run);
  for (const auto& [name, shown] : views_) shown->set_run(run);
  show_baseline();
  if (!run) return;
  const bool has_launches = !run->analysis.rows.empty();
  for (std::size_t i = 0; i < docks_.size(); ++i) {
    if (run_views()[i].needs_launches) docks_[i]->setVisible(has_launches);
  }
  filter_->setVisible(has_launches);
  show_summary();
  notes_->set_notes(notes_of(run->analysis, roofline()->scene().figure()));
  stack_->setCurrentIndex(1);
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

void RunPage::show_summary() {
  if (!run_) return summary_->clear();
  QString text = summary_of(run_->analysis);
  if (baseline_ != nullptr) {
    text += QStringLiteral("   \u00b7   ") + tr("compared with %1").arg(baseline_->title());
  }
  summary_->setText(text);
}

}  // namespace mansard
