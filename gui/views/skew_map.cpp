// SPDX-License-Identifier: Apache-2.0
#include "gui/views/skew_map.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "gui/views/painting.h"
#include "gui/views/theme.h"
#include "reports/figure/linear_scale.h"
#include "support/units.h"

namespace mansard::gui {
namespace {

constexpr int kRight_px = 12;
constexpr int kMostCell_px = 26;  // height of a cell: few ranks do not fill a large view
constexpr int kLegend_px = 120;   // width of the color scale
constexpr int kGap_px = 6;
constexpr int kTick_px = 64;  // between numbers of steps

QString seconds_text(double time_s) { return to_qstring(format_si(time_s, "s")); }

// From the background, for ranks that are not late, to the strongest color.
figure::Rgb color_of(double amount, figure::Theme theme) {
  return figure::mixed(figure::surface(theme).background, figure::density_color(1, theme),
                       std::clamp(amount, 0.0, 1.0));
}

}  // namespace

SkewMap::SkewMap(QWidget* parent) : QWidget(parent) {
  setMouseTracking(true);
  setMinimumSize(200, 100);
  setCursor(Qt::PointingHandCursor);
}

void SkewMap::set_job(std::shared_ptr<const OpenJob> job, std::size_t grid) {
  job_ = std::move(job);
  index_ = grid;
  image_ = {};
  full_s_ = this->grid() == nullptr ? 0 : analysis::full_scale_s(*this->grid());
  setAccessibleName(this->grid() == nullptr ? QString() : to_qstring(this->grid()->title));
  update();
}

const analysis::StepGrid* SkewMap::grid() const {
  return job_ && index_ < job_->grids.size() ? &job_->grids[index_] : nullptr;
}

QRect SkewMap::plot_of(QSize size) const {
  const int line = fontMetrics().height();
  const int left = fontMetrics().horizontalAdvance(QStringLiteral("00,000")) + 2 * kGap_px;
  const int bottom = 3 * line + 2 * kGap_px;  // numbers, name of the axis, color scale
  QRect plot(left, line + kGap_px, size.width() - left - kRight_px,
             size.height() - bottom - line - kGap_px);
  if (grid() != nullptr) {
    plot.setHeight(std::min(plot.height(), static_cast<int>(grid()->ranks) * kMostCell_px));
  }
  return plot;
}

QSize SkewMap::cells_of(const QRect& plot) const {
  return {std::min(plot.width(), static_cast<int>(grid()->steps.size())),
          std::min(plot.height(), static_cast<int>(grid()->ranks))};
}

SkewMap::Cell SkewMap::largest_in(QSize cells, int x, int y) const {
  const auto part = [](std::size_t all, int at, int of) {
    return all * static_cast<std::size_t>(at) / static_cast<std::size_t>(of);
  };
  const analysis::StepGrid& g = *grid();
  Cell largest{part(g.ranks, y, cells.height()), part(g.steps.size(), x, cells.width())};
  const std::size_t last_rank = part(g.ranks, y + 1, cells.height());
  const std::size_t last_column = part(g.steps.size(), x + 1, cells.width());
  const Cell first = largest;
  for (std::size_t rank = first.rank; rank < last_rank; ++rank) {
    for (std::size_t column = first.column; column < last_column; ++column) {
      const float value = g.at(rank, column);
      const float before = g.at(largest.rank, largest.column);
      if (value > before || (std::isnan(before) && !std::isnan(value))) largest = {rank, column};
    }
  }
  return largest;
}

const QImage& SkewMap::image_of(QSize cells, figure::Theme theme) const {
  if (image_.size() == cells && theme_ == theme) return image_;
  theme_ = theme;
  image_ = QImage(cells, QImage::Format_RGB32);
  const QRgb unknown = to_qcolor(figure::surface(theme).grid).rgb();
  for (int y = 0; y < cells.height(); ++y) {
    auto* line = reinterpret_cast<QRgb*>(image_.scanLine(y));
    for (int x = 0; x < cells.width(); ++x) {
      const Cell cell = largest_in(cells, x, y);
      const float value = grid()->at(cell.rank, cell.column);
      if (std::isnan(value)) {
        line[x] = unknown;
      } else if (full_s_ <= 0) {
        line[x] = to_qcolor(color_of(0, theme)).rgb();
      } else {
        line[x] = to_qcolor(color_of(value / full_s_, theme)).rgb();
      }
    }
  }
  return image_;
}

std::optional<SkewMap::Cell> SkewMap::cell_at(QPoint position) const {
  const QRect area = plot();
  if (grid() == nullptr || !area.isValid() || !area.contains(position)) return std::nullopt;
  const QSize cells = cells_of(area);
  return largest_in(cells, (position.x() - area.left()) * cells.width() / area.width(),
                    (position.y() - area.top()) * cells.height() / area.height());
}

QString SkewMap::text_of(const Cell& cell) const {
  const analysis::JobRank& rank = job_->ranks.ranks[cell.rank];
  const float value = grid()->at(cell.rank, cell.column);
  return tr("Rank %1 (%2), step %3: %4")
      .arg(rank.rank)
      .arg(to_qstring(job_->ranks.summaries[rank.index].host))
      .arg(grid()->steps[cell.column])
      .arg(std::isnan(value) ? tr("not available") : seconds_text(value));
}

void SkewMap::paint_figure(QPainter& painter, QSize size) const {
  const figure::Theme theme = theme_of(palette());
  const figure::Surface& colors = figure::surface(theme);
  painter.fillRect(QRect(QPoint(), size), to_qcolor(colors.background));
  const QRect area = plot_of(size);
  if (grid() == nullptr || area.width() < 1 || area.height() < 1) return;
  painter.setRenderHint(QPainter::SmoothPixmapTransform, false);
  painter.drawImage(area, image_of(cells_of(area), theme));
  painter.setPen(to_qcolor(colors.grid));
  painter.drawRect(area.adjusted(-1, -1, 0, 0));

  const int line = painter.fontMetrics().height();
  const std::vector<analysis::JobRank>& ranks = job_->ranks.ranks;
  const double pitch = static_cast<double>(area.height()) / static_cast<double>(ranks.size());
  const auto middle_of = [&](std::size_t rank) {
    return area.top() + static_cast<int>(pitch * (static_cast<double>(rank) + 0.5));
  };
  // Slow ranks are always named, others where there is room.
  std::vector<int> used;
  const auto name = [&](std::size_t rank) {
    const int y = middle_of(rank);
    if (std::ranges::any_of(used, [&](int other) { return std::abs(other - y) < line; })) return;
    used.push_back(y);
    painter.setPen(to_qcolor(ranks[rank].slow ? colors.loss : colors.faint_text));
    painter.drawText(QRect(0, y - line / 2, area.left() - kGap_px, line),
                     Qt::AlignRight | Qt::AlignVCenter, to_qstring(format_whole(ranks[rank].rank)));
  };
  for (const std::size_t rank : job_->ranks.slow) name(rank);
  const auto apart =
      static_cast<std::size_t>(std::max(1.0, figure::even_step(std::max(1.0, 1.5 * line / pitch))));
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    if (static_cast<std::size_t>(ranks[rank].rank) % apart == 0) name(rank);
  }

  painter.setPen(to_qcolor(colors.faint_text));
  painter.drawText(QRect(0, 0, size.width(), line), Qt::AlignLeft, tr("rank"));
  const auto columns = static_cast<double>(grid()->steps.size());
  const auto step_apart = static_cast<std::size_t>(
      std::max(1.0, figure::even_step(std::max(1.0, kTick_px * columns / area.width()))));
  for (std::size_t column = 0; column < grid()->steps.size(); column += step_apart) {
    const double x = area.left() + area.width() * (static_cast<double>(column) + 0.5) / columns;
    painter.drawText(QRectF(x - kTick_px / 2.0, area.bottom() + 2, kTick_px, line),
                     Qt::AlignHCenter, to_qstring(format_whole(grid()->steps[column])));
  }
  painter.drawText(QRect(area.left(), area.bottom() + 2 + line, area.width(), line),
                   Qt::AlignHCenter, tr("step"));

  const int y = area.bottom() + kGap_px + 2 * line;
  const int text = painter.fontMetrics().horizontalAdvance(QStringLiteral("0 s")) + kGap_px;
  painter.drawText(QRect(area.left(), y, text, line), Qt::AlignLeft, QStringLiteral("0 s"));
  for (int i = 0; i < kLegend_px; ++i) {
    painter.fillRect(QRect(area.left() + text + i, y + 2, 1, line - 4),
                     to_qcolor(color_of(static_cast<double>(i) / (kLegend_px - 1), theme)));
  }
  painter.drawText(QRect(area.left() + text + kLegend_px + kGap_px, y, area.width(), line),
                   Qt::AlignLeft, tr("%1 or more").arg(seconds_text(full_s_)));
}

void SkewMap::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setFont(font());
  paint_figure(painter, size());
}

bool SkewMap::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  auto* help = static_cast<QHelpEvent*>(event);
  if (const auto cell = cell_at(help->pos())) {
    QToolTip::showText(help->globalPos(), text_of(*cell), this);
  } else {
    QToolTip::hideText();
  }
  return true;
}

void SkewMap::mouseReleaseEvent(QMouseEvent* event) {
  const auto cell = cell_at(event->pos());
  if (event->button() == Qt::LeftButton && cell) {
    Q_EMIT rank_clicked(job_->ranks.ranks[cell->rank].rank);
  }
}

}  // namespace mansard::gui
