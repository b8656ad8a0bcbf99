// SPDX-License-Identifier: Apache-2.0
// Heat map of a value of each rank in each step. A pixel that covers several shows the largest, so
// that a single late rank of thousands is visible.
#pragma once

#include <QImage>
#include <QWidget>
#include <memory>
#include <optional>

#include "gui/models/open_job.h"
#include "reports/figure/palette.h"

namespace mansard::gui {

class SkewMap : public QWidget {
  Q_OBJECT

 public:
  explicit SkewMap(QWidget* parent = nullptr);

  // `grid`: index into OpenJob::grids. Shows nothing without a job or grid.
  void set_job(std::shared_ptr<const OpenJob> job, std::size_t grid);
  void paint_figure(QPainter& painter, QSize size) const;

  struct Cell {
    std::size_t rank = 0;    // index into JobRanks::ranks
    std::size_t column = 0;  // of the grid
    bool operator==(const Cell&) const = default;
  };
  // The cell that the pixel shows; empty beside the map.
  std::optional<Cell> cell_at(QPoint position) const;
  QString text_of(const Cell& cell) const;  // "Rank 3 (node-0), step 12: 31.7 µs"
  QRect plot() const { return plot_of(size()); }

 Q_SIGNALS:
  void rank_clicked(int rank);  // JobRank::rank

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;

 private:
  const analysis::StepGrid* grid() const;
  QRect plot_of(QSize size) const;
  QSize cells_of(const QRect& plot) const;  // pixels of the map, before scaling
  Cell largest_in(QSize cells, int x, int y) const;
  const QImage& image_of(QSize cells, figure::Theme theme) const;

  std::shared_ptr<const OpenJob> job_;
  std::size_t index_ = 0;
  double full_s_ = 0;  // value with the strongest color
  mutable QImage image_;
  mutable figure::Theme theme_ = figure::Theme::light;
};

}  // namespace mansard::gui
