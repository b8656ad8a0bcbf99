// SPDX-License-Identifier: Apache-2.0
// The training record of a run: loss and SNR over the steps as figures, and the quantized tensors,
// worst first. With a baseline: the losses of both runs and their gap.
#pragma once

#include <vector>

#include "gui/models/background_part.h"
#include "gui/views/run_view.h"

class QLabel;
class QScrollArea;
class QStackedWidget;
class QTabWidget;
class QVBoxLayout;

namespace mansard::gui {

class ChartView;
class FigureSplitter;
class FindingTable;

class NumericsView : public RunView {
  Q_OBJECT

 public:
  explicit NumericsView(SelectionModel* selection, QWidget* parent = nullptr);

  void set_run(std::shared_ptr<const OpenRun> run) override;
  void set_baseline(std::shared_ptr<const OpenRun> baseline) override;
  void show_everything() override;
  bool is_figure() const override { return true; }
  void paint_figure(QPainter& painter) const override;
  std::vector<analysis::Table> tables() const override;

  const std::vector<ChartView*>& charts() const { return charts_; }
  QTabWidget* tabs() { return tabs_; }
  QString summary() const;
  // The text shown instead of the record; empty if there is one.
  QString message() const;

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  void showEvent(QShowEvent* event) override;

 private:
  const analysis::Finding* finding() const;
  void forget();
  void compute();
  void show_part();
  void show_finding(const analysis::Finding& finding);
  ChartView* add_chart(const analysis::Table& table);

  std::shared_ptr<const OpenRun> run_;
  std::shared_ptr<const OpenRun> baseline_;
  BackgroundPart* part_;
  QStackedWidget* stack_;
  QLabel* message_;
  QLabel* summary_;
  FigureSplitter* splitter_;
  QScrollArea* figures_;
  QWidget* stacked_ = nullptr;  // the charts and their titles, one below the other
  std::vector<ChartView*> charts_;
  QTabWidget* tabs_;
};

}  // namespace mansard::gui
