// SPDX-License-Identifier: Apache-2.0
// The kernel table with its filter field, linked to the other views by the selection.
#pragma once

#include <QWidget>
#include <memory>

#include "gui/models/kernel_table_model.h"
#include "gui/models/selection_model.h"

class QLabel;
class QLineEdit;
class QTableView;

namespace mansard {

class KernelTableView : public QWidget {
  Q_OBJECT

 public:
  explicit KernelTableView(SelectionModel* selection, QWidget* parent = nullptr);

  void set_run(std::shared_ptr<const RunAnalysis> run);
  void focus_filter();

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void leaveEvent(QEvent* event) override;

 private:
  void fit_name_column();
  void follow_selection();
  void follow_filter();
  void show_count();
  SelectionModel::Row row_of(const QModelIndex& shown) const;

  SelectionModel* selection_;
  KernelTableModel* model_;
  KernelSortFilter* sorted_;
  QLineEdit* filter_;
  QLabel* count_;
  QTableView* table_;
};

}  // namespace mansard
