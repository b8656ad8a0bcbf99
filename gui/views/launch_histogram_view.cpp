// SPDX-License-Identifier: Apache-2.0
#include "gui/views/launch_histogram_view.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include "gui/models/launch_sample.h"
#include "gui/models/row_facts.h"
#include "gui/views/drawing_painter.h"
#include "gui/views/painting.h"
#include "gui/views/theme.h"

namespace mansard::gui {
namespace {

constexpr int kMostHeight_px = 220;

}  // namespace

LaunchHistogramView::LaunchHistogramView(SelectionModel* selection, QWidget* parent)
    : QWidget(parent), selection_(selection) {
  setMouseTracking(true);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
  setAccessibleName(tr("Durations of the selected kernel's launches"));
  setMaximumHeight(kMostHeight_px);
  setVisible(false);
  connect(selection_, &SelectionModel::shown_changed, this, &LaunchHistogramView::read_launches);
}

QSize LaunchHistogramView::minimumSizeHint() const {
  return {160, static_cast<int>(figure::kLeastHistogram_px)};
}

void LaunchHistogramView::show_row(std::shared_ptr<const OpenRun> run, SelectionModel::Row row) {
  run_ = std::move(run);
  row_ = row;
  read_launches();
}

void LaunchHistogramView::read_launches() {
  sample_ = {};
  // The selection may know the next run already.
  if (run_ && row_ && run_ == selection_->run()) {
    sample_ = launch_sample(*run_, *row_, selection_->selected_launch(), *selection_->shown());
  }
  setVisible(!sample_.durations_s.empty());
  forget_layout();
  const std::optional<figure::LaunchHistogram>& h = histogram();
  setAccessibleDescription(
      h ? tr("Median %1, 95th percentile %2, from %3 to %4, %5")
              .arg(quantity_text(h->median_s, "s"), quantity_text(h->p95_s, "s"),
                   quantity_text(h->min_s, "s"), quantity_text(h->max_s, "s"),
                   count_text(std::ssize(sample_.durations_s), "launch", "launches"))
        : QString());
}

void LaunchHistogramView::forget_layout() {
  histogram_.reset();
  drawing_.reset();
  update();
}

const std::optional<figure::LaunchHistogram>& LaunchHistogramView::histogram() const {
  if (!histogram_ && !sample_.durations_s.empty()) {
    const QSize size = this->size().expandedTo(minimumSizeHint());
    histogram_ =
        figure::layout_launch_histogram(sample_, size.width(), size.height(), measure_in(font()));
    drawing_ = figure::draw(histogram_.value(), sample_.operation_class);
  }
  return histogram_;
}

std::optional<analysis::Table> LaunchHistogramView::table() const {
  const std::optional<figure::LaunchHistogram>& h = histogram();
  if (!h) return std::nullopt;
  using enum analysis::CellFormat;
  analysis::Table table{"launch_durations",
                        "Launches by duration",
                        {{"from_s", "from", quantity, "s", "Shortest duration of the bin"},
                         {"to_s", "to", quantity, "s", "End of the bin, excluded"},
                         {"launches", "launches", count, "", "Undisturbed launches"},
                         {"passing", "passing", count, "", "Launches that pass the filter"}},
                        {}};
  for (const figure::DurationBin& bin : h->bins) {
    table.rows.push_back({bin.from_s, bin.to_s, bin.launches, bin.passing});
  }
  return table;
}

std::optional<std::size_t> LaunchHistogramView::bin_at(QPointF position) const {
  if (!histogram()) return std::nullopt;
  const std::optional<figure::Link> link = figure::link_at(*drawing_, to_point(position));
  return link ? std::optional<std::size_t>(link->index) : std::nullopt;
}

// The first launch of the bin that passes the filter, or the one after the selected launch.
void LaunchHistogramView::select_next_in(std::size_t bin) {
  std::optional<std::size_t> first;
  std::optional<std::size_t> next;
  for (std::size_t i = 0; i < sample_.durations_s.size() && !next; ++i) {
    if (histogram_->bin_of[i] != bin || (!sample_.passes.empty() && !sample_.passes[i])) continue;
    if (!first) first = i;
    if (sample_.selected && i > *sample_.selected) next = i;
  }
  if (!next) next = first;
  if (!next) return;
  if (const auto launch = launch_at(*run_, *row_, *next)) selection_->select_launch(*launch);
}

bool LaunchHistogramView::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const auto bin = bin_at(help->pos());
  if (bin) {
    QToolTip::showText(help->globalPos(),
                       to_qstring(figure::describe(histogram_->bins[*bin], *histogram_)), this);
  } else {
    QToolTip::hideText();
    event->ignore();
  }
  return true;
}

void LaunchHistogramView::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const figure::Theme theme = theme_of(palette());
  painter.fillRect(rect(), to_qcolor(figure::surface(theme).background));
  if (histogram()) paint(painter, *drawing_, theme);
}

void LaunchHistogramView::resizeEvent(QResizeEvent*) { forget_layout(); }

void LaunchHistogramView::changeEvent(QEvent* event) {
  if (event->type() == QEvent::FontChange) forget_layout();
  QWidget::changeEvent(event);
}

void LaunchHistogramView::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  if (const auto bin = bin_at(event->position())) select_next_in(*bin);
}

}  // namespace mansard::gui
