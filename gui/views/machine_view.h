// SPDX-License-Identifier: Apache-2.0
// The machine model used for a run: its ceilings, the samples of each, the working-set curves of
// its memory tiers, and its provenance.
#pragma once

#include <vector>

#include "gui/views/run_view.h"

class QLabel;
class QSplitter;
class QStackedWidget;
class QTabWidget;

namespace mansard::gui {

class FindingTable;
class SamplePlotView;
class SweepPlotView;

class MachineView : public RunView {
  Q_OBJECT

 public:
  explicit MachineView(SelectionModel* selection, QWidget* parent = nullptr);

  void set_run(std::shared_ptr<const OpenRun> run) override;
  void show_everything() override;
  bool is_figure() const override { return true; }
  void paint_figure(QPainter& painter) const override;  // the samples or the curve
  std::vector<analysis::Table> tables() const override;

  QTabWidget* kinds() { return kinds_; }      // one tab per table of ceilings
  QTabWidget* figures() { return figures_; }  // samples, and the curve if there is one
  SamplePlotView* samples() { return samples_; }
  SweepPlotView* sweep() { return sweep_; }
  const roofline::Ceiling* chosen() const { return chosen_; }
  QString message() const;

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  const roofline::DeviceModel* device() const;
  void show_tables();
  void choose(const FindingTable* table, std::size_t row);

  std::shared_ptr<const OpenRun> run_;
  const roofline::Ceiling* chosen_ = nullptr;  // of run_
  QStackedWidget* stack_;
  QLabel* message_;
  QLabel* about_;
  QSplitter* splitter_;
  QTabWidget* kinds_;
  QLabel* facts_;
  QTabWidget* figures_;
  SamplePlotView* samples_;
  SweepPlotView* sweep_;
};

}  // namespace mansard::gui
