// SPDX-License-Identifier: Apache-2.0
// The chart of one table. Its height depends on its width.
#pragma once

#include <QWidget>
#include <optional>

#include "reports/figure/chart_data.h"
#include "reports/figure/drawing.h"

namespace mansard::gui {

class ChartView : public QWidget {
  Q_OBJECT

 public:
  explicit ChartView(QWidget* parent = nullptr);

  // Shows nothing if the table has no chart.
  void set_table(const analysis::Table& table);
  void clear() { set_table(analysis::Table()); }
  bool has_chart() const { return data_.has_value(); }
  QString caption() const { return caption_; }  // which rows are drawn; empty: all
  // The table row to highlight, in addition to the one under the cursor.
  void set_marked(std::optional<std::size_t> table_row);

  // Throws std::bad_optional_access without a chart.
  const figure::ChartData& data() const { return data_.value(); }
  // Laid out for the current width, without highlighting. Throws std::bad_optional_access without a
  // chart.
  const figure::Drawing& drawing() const;
  // Paints the chart at `width_px`, without hover effects.
  void paint_figure(QPainter& painter, double width_px) const;

  bool hasHeightForWidth() const override { return true; }
  int heightForWidth(int width_px) const override;
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return {240, 80}; }

 Q_SIGNALS:
  void row_clicked(std::size_t table_row);

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void changeEvent(QEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void leaveEvent(QEvent* event) override;

 private:
  void forget_layout();
  figure::Drawing draw(double width_px, std::optional<std::size_t> marked_bar = {}) const;
  void point_at(std::optional<std::size_t> bar);
  std::optional<std::size_t> bar_at(QPointF position) const;
  std::optional<std::size_t> bar_of(std::optional<std::size_t> table_row) const;
  QString tooltip_at(QPointF position) const;

  std::optional<figure::ChartData> data_;
  QString caption_;
  mutable std::optional<figure::Drawing> drawing_;  // created on demand for the widget's width
  std::optional<std::size_t> marked_;               // a row of the table
  std::optional<std::size_t> pointed_;              // the bar under the cursor or chosen by keys
};

}  // namespace mansard::gui
