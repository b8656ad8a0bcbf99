// SPDX-License-Identifier: Apache-2.0
// Table model of a run's kernels, limited to the launches that pass the filter, and a sorting proxy
// that hides rows without any.
#pragma once

#include <QAbstractTableModel>
#include <memory>

#include "gui/models/finding_model.h"
#include "gui/models/shown_launches.h"

namespace mansard::gui {

class KernelTableModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  // Columns of the kernel catalog, by the keys in kernel_table_model.cpp.
  enum Column {
    name,
    operation_class,
    precision,
    launches,
    step_time,
    time,
    share,
    rate,
    arithmetic_intensity,
    bound,
    sol_fraction,
    column_count
  };
  using QAbstractTableModel::QAbstractTableModel;

  // Shows all launches of the run. Null: an empty table.
  void set_run(std::shared_ptr<const analysis::RunAnalysis> run);
  void set_shown(std::shared_ptr<const ShownLaunches> shown);  // belongs to that run
  const analysis::RunAnalysis* run() const { return run_.get(); }
  bool shows(int row) const { return shown_->shows(static_cast<std::size_t>(row)); }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  analysis::Cell cell(const QModelIndex& index) const;

  std::shared_ptr<const analysis::RunAnalysis> run_;
  std::shared_ptr<const ShownLaunches> shown_ = std::make_shared<ShownLaunches>();
};

class KernelSortFilter : public FindingSort {
  Q_OBJECT

 public:
  using FindingSort::FindingSort;

  void follow_shown();  // call when the model's shown launches have changed

 protected:
  bool filterAcceptsRow(int row, const QModelIndex& parent) const override;
};

}  // namespace mansard::gui
