// SPDX-License-Identifier: Apache-2.0
// The goodput of a long run as figures that follow the inputs: where the wall time goes, the
// checkpoint interval, the changes that raise goodput most, and the chain from the step to goodput.
#pragma once

#include <optional>
#include <vector>

#include "analyzer/goodput/goodput_inputs.h"
#include "gui/views/view.h"

class QLabel;
class QTabWidget;

namespace mansard::gui {

class ChartView;
class GoodputFields;
class IntervalChart;

class GoodputPanel : public View {
  Q_OBJECT

 public:
  explicit GoodputPanel(QWidget* parent = nullptr);

  // Empty: nothing is shown. Edited inputs stay.
  void set_trained(std::optional<analysis::TrainedJob> trained);

  void show_everything() override;  // resets the inputs
  bool is_figure() const override { return true; }
  void paint_figure(QPainter& painter) const override;
  std::vector<analysis::Table> tables() const override;

  GoodputFields* fields() { return fields_; }
  QString summary() const;  // or why there is no result
  IntervalChart* intervals() { return sweep_; }
  ChartView* split() { return split_; }
  ChartView* changes() { return changes_; }
  ChartView* chain() { return chain_; }

 private:
  void compute();
  void show_finding(const analysis::GoodputStudy& study);
  void show_front_table();

  std::optional<analysis::TrainedJob> trained_;
  std::optional<analysis::Finding> finding_;
  QWidget* form_;
  GoodputFields* fields_;
  QLabel* summary_;
  QTabWidget* tabs_;  // the figures, and one tab per table
  QWidget* figures_;
  std::vector<QLabel*> titles_;
  ChartView* split_;
  IntervalChart* sweep_;
  ChartView* changes_;
  ChartView* chain_;
};

}  // namespace mansard::gui
