// SPDX-License-Identifier: Apache-2.0
// Bandwidth or latency of a device by working-set size.
#pragma once

#include <QWidget>
#include <optional>
#include <string>

#include "reports/figure/sweep_plot.h"

namespace mansard::gui {

class SweepPlotView : public QWidget {
  Q_OBJECT

 public:
  explicit SweepPlotView(QWidget* parent = nullptr);

  // The points in `unit` ("B/s" or "s") over `axis`; null: none.
  void set_device(const roofline::DeviceModel* device, const std::string& unit,
                  roofline::SweepAxis axis);
  // Laid out for the current size; empty without points.
  std::optional<figure::Drawing> drawing() const { return draw(size()); }
  void paint_figure(QPainter& painter, QSizeF size) const;

  QSize minimumSizeHint() const override { return {260, 220}; }

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  std::optional<figure::Drawing> draw(QSizeF size) const;

  roofline::DeviceModel device_;  // only the data that the plot needs
  std::string unit_;
  roofline::SweepAxis axis_ = roofline::SweepAxis::working_set;
};

}  // namespace mansard::gui
