// SPDX-License-Identifier: Apache-2.0
#include "gui/views/interval_bar.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>

#include "gui/models/interval_facts.h"

namespace mansard::gui {
namespace {

// More launches are summed up in the background.
constexpr std::size_t kSummedAtOnce = 100'000;

}  // namespace

IntervalBar::IntervalBar(SelectionModel* selection, QWidget* parent)
    : QFrame(parent), selection_(selection), label_(new QLabel(this)) {
  setAutoFillBackground(true);
  setAccessibleName(tr("Selected interval"));
  label_->setTextFormat(Qt::PlainText);
  label_->setWordWrap(true);
  label_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  auto* zoom = new QToolButton(this);
  zoom->setText(tr("Zoom to selection"));
  zoom->setToolTip(tr("Show only the selected interval (Z)"));
  auto* clear = new QToolButton(this);
  clear->setText(tr("Clear"));
  clear->setToolTip(tr("Clear the selected interval (Esc)"));
  auto* line = new QHBoxLayout(this);
  line->setContentsMargins(10, 2, 10, 2);
  line->addWidget(label_, 1);
  line->addWidget(zoom);
  line->addWidget(clear);
  connect(zoom, &QToolButton::clicked, this, &IntervalBar::zoom_asked);
  connect(clear, &QToolButton::clicked, selection_,
          [this] { selection_->set_window(std::nullopt); });
  connect(selection_, &SelectionModel::filter_changed, this, &IntervalBar::follow);
  connect(selection_, &SelectionModel::visible_changed, this, &IntervalBar::follow);
  connect(selection_, &SelectionModel::run_changed, this, &IntervalBar::follow);
  connect(selection_, &SelectionModel::shown_changed, this, &IntervalBar::show_facts);
  hide();
}

QString IntervalBar::text() const { return label_->text(); }

int IntervalBar::heightForWidth(int width_px) const {
  return layout()->hasHeightForWidth() ? layout()->heightForWidth(width_px) : sizeHint().height();
}

void IntervalBar::follow() {
  const auto& run = selection_->run();
  const bool has_timeline = run && !run->timeline.empty() && !selection_->state().pinned;
  const auto interval = has_timeline ? selection_->filter().window : std::nullopt;
  if (interval == interval_ && run == run_) return;
  interval_ = interval;
  run_ = run;
  summary_.reset();
  computing_.cancel();
  setVisible(interval_.has_value());
  if (interval_) {
    if (run_->launches.size() < kSummedAtOnce) {
      summary_ = figure::summarize(run_->timeline, *interval_);
    } else {
      computing_.start(
          [run = run_, span = *interval_] { return figure::summarize(run->timeline, span); },
          [this](figure::WindowSummary summary) {
            summary_ = std::move(summary);
            show_facts();
          });
    }
  }
  show_facts();
  Q_EMIT shown_changed();
}

void IntervalBar::show_facts() {
  if (!interval_ || run_ != selection_->run()) return;
  QString text = summary_ ? interval_text(*summary_) : tr("Computing ...");
  const ShownLaunches& shown = *selection_->shown();
  if (const QString longest = longest_kernels_text(run_->analysis, shown);
      !shown.all() && !longest.isEmpty()) {
    text += QStringLiteral("   \u00b7   ") + longest;
  }
  label_->setText(text);
  Q_EMIT shown_changed();
}

}  // namespace mansard::gui
