// SPDX-License-Identifier: Apache-2.0
// The samples of one ceiling: value, clock and power over sample number.
#pragma once

#include <QWidget>
#include <optional>

#include "reports/figure/sample_plot.h"

namespace mansard::gui {

class SamplePlotView : public QWidget {
  Q_OBJECT

 public:
  explicit SamplePlotView(QWidget* parent = nullptr);

  // Copies the ceiling; null: none is selected.
  void set_ceiling(const roofline::Ceiling* ceiling);
  // Laid out for the current size; empty without samples.
  const std::optional<figure::Drawing>& drawing() const;
  void paint_figure(QPainter& painter, QSizeF size) const;

  QSize minimumSizeHint() const override { return {260, 220}; }
  QSize sizeHint() const override { return {560, 420}; }

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  std::optional<figure::Drawing> draw(QSizeF size) const;

  std::optional<roofline::Ceiling> ceiling_;
  mutable std::optional<figure::Drawing> drawing_;
  mutable bool laid_out_ = false;
};

}  // namespace mansard::gui
