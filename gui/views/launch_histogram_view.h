// SPDX-License-Identifier: Apache-2.0
// Histogram of the durations of the selected kernel's launches; hidden without any.
#pragma once

#include <QWidget>
#include <memory>
#include <optional>

#include "analyzer/table.h"
#include "gui/models/selection_model.h"
#include "reports/figure/launch_histogram.h"

namespace mansard::gui {

class LaunchHistogramView : public QWidget {
  Q_OBJECT

 public:
  explicit LaunchHistogramView(SelectionModel* selection, QWidget* parent = nullptr);

  // Shows the launches of a row; empty: none.
  void show_row(std::shared_ptr<const OpenRun> run, SelectionModel::Row row);
  // Laid out for the current size; empty without launches.
  const std::optional<figure::LaunchHistogram>& histogram() const;
  // Its bins, and its statistics in the title. Empty without launches.
  std::optional<analysis::Table> table() const;

  QSize sizeHint() const override { return {300, 200}; }
  QSize minimumSizeHint() const override;

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;

 private:
  void read_launches();
  void forget_layout();
  std::optional<std::size_t> bin_at(QPointF position) const;
  void select_next_in(std::size_t bin);

  SelectionModel* selection_;
  std::shared_ptr<const OpenRun> run_;
  SelectionModel::Row row_;
  figure::LaunchSample sample_;
  mutable std::optional<figure::LaunchHistogram> histogram_;  // both are created on demand
  mutable std::optional<figure::Drawing> drawing_;
};

}  // namespace mansard::gui
