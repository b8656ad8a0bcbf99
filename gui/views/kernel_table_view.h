// SPDX-License-Identifier: Apache-2.0
// The rows of a run as a table.
#pragma once

#include "gui/models/kernel_table_model.h"
#include "gui/views/run_view.h"

class QTableView;

namespace mansard::gui {

class KernelTableView : public RunView {
  Q_OBJECT

 public:
  explicit KernelTableView(SelectionModel* selection, QWidget* parent = nullptr);

  void set_run(std::shared_ptr<const OpenRun> run) override;
  std::vector<analysis::Table> tables() const override;  // the rows as they are sorted

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void leaveEvent(QEvent* event) override;

 private:
  void fit_name_column();
  void follow_selection();
  void follow_shown();
  SelectionModel::Row row_of(const QModelIndex& shown) const;

  KernelTableModel* model_;
  KernelSortFilter* sorted_;
  QTableView* table_;
  bool following_ = false;  // what others do, which is no selection of its own
};

}  // namespace mansard::gui
