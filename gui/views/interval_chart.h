// SPDX-License-Identifier: Apache-2.0
// Goodput over the checkpoint interval, with the interval in use and the best one marked.
#pragma once

#include <vector>

#include "gui/views/chart_view.h"

namespace mansard::gui {

class IntervalChart : public ChartView {
  Q_OBJECT

 public:
  using ChartView::ChartView;

  struct Mark {
    QString label;
    double at = 0;  // on the x axis of the table
  };
  void set_marks(std::vector<Mark> marks);
  const std::vector<Mark>& marks() const { return marks_; }
  // Chart and marks.
  void paint_all(QPainter& painter, double width_px) const;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  void paint_marks(QPainter& painter, double width_px) const;

  std::vector<Mark> marks_;
};

}  // namespace mansard::gui
