// SPDX-License-Identifier: Apache-2.0
// The kernel table of a run.
#pragma once

#include <map>

#include "gui/models/background.h"
#include "gui/models/kernel_table_model.h"
#include "gui/views/run_view.h"

class QTableView;

namespace mansard::gui {

class KernelTableView : public RunView {
  Q_OBJECT

 public:
  explicit KernelTableView(SelectionModel* selection, QWidget* parent = nullptr);

  void set_run(std::shared_ptr<const OpenRun> run) override;
  void set_baseline(std::shared_ptr<const OpenRun> baseline) override;
  std::vector<analysis::Table> tables() const override;  // rows in the displayed order

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void leaveEvent(QEvent* event) override;

 private:
  void show_baseline(std::shared_ptr<const OpenRun> baseline, RowMatches matches);
  bool has(const analysis::RunAnalysis& run, int column) const;
  void show_columns(const analysis::RunAnalysis& run);
  void choose_columns(QPoint position);  // the menu of the header
  void fit_columns();
  void order_by_saving(const analysis::RunAnalysis& run);
  void fit_name_column();
  void follow_selection();
  void follow_shown();
  SelectionModel::Row row_of(const QModelIndex& shown) const;

  std::shared_ptr<const OpenRun> run_;
  std::shared_ptr<const OpenRun> baseline_;
  Background matching_{this};
  KernelTableModel* model_;
  KernelSortFilter* sorted_;
  QTableView* table_;
  int ordered_by_ = KernelTableModel::time;  // the order that the user did not choose
  std::map<int, bool> chosen_;               // columns that the user showed or hid
  bool following_ = false;  // following a change of the shared selection: do not select
};

}  // namespace mansard::gui
