// SPDX-License-Identifier: Apache-2.0
// Where a step's time goes: the ledger of causes as a waterfall and a table, with the kernels of
// each line. For one run: from the SOL time of its kernels to the measured time; without SOL time,
// the parts of a typical step. With a baseline: from that run to this one, and a comparison kernel
// by kernel.
#pragma once

#include <vector>

#include "analyzer/explain/ledger.h"
#include "gui/models/background_part.h"
#include "gui/views/run_view.h"

class QLabel;
class QScrollArea;
class QSplitter;
class QStackedWidget;
class QTabWidget;

namespace mansard::gui {

class ChartView;
class FigureSplitter;
class FindingTable;

class StepTimeView : public RunView {
  Q_OBJECT

 public:
  explicit StepTimeView(SelectionModel* selection, QWidget* parent = nullptr);

  void set_run(std::shared_ptr<const OpenRun> run) override;
  void set_baseline(std::shared_ptr<const OpenRun> baseline) override;
  void show_everything() override;
  bool is_figure() const override { return true; }
  void paint_figure(QPainter& painter) const override;
  std::vector<analysis::Table> tables() const override;

  ChartView* chart() { return chart_; }
  FindingTable* ledger() { return ledger_; }
  FindingTable* behind() { return behind_; }
  QTabWidget* tabs() { return tabs_; }
  // The text shown instead of a ledger; empty if there is one.
  QString message() const;

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  void showEvent(QShowEvent* event) override;

 private:
  bool is_comparison() const { return baseline_ && baseline_ != run_; }
  const analysis::Finding* ledger_finding() const;
  void forget();
  void compute();
  void show_part();
  void show_tabs(const reports::ReportPart& part);
  void choose_line(std::size_t row);
  void follow_row(const analysis::Table& table, std::size_t row);

  std::shared_ptr<const OpenRun> run_;
  std::shared_ptr<const OpenRun> baseline_;
  std::vector<analysis::LedgerRow> rows_;  // rows of the ledger in part_
  BackgroundPart* part_;
  QStackedWidget* stack_;
  QLabel* message_;
  QLabel* summary_;
  FigureSplitter* splitter_;
  QScrollArea* figure_;
  ChartView* chart_;
  QTabWidget* tabs_;
  QSplitter* lines_;
  FindingTable* ledger_;
  QLabel* behind_title_;
  FindingTable* behind_;
};

}  // namespace mansard::gui
