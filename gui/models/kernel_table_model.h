// SPDX-License-Identifier: Apache-2.0
// Table model of a run's kernels, limited to the launches that pass the filter, and a sorting proxy
// that hides rows without any.
#pragma once

#include <QAbstractTableModel>
#include <memory>
#include <optional>
#include <vector>

#include "gui/models/finding_model.h"
#include "gui/models/row_matches.h"
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
    step_saving,  // hidden, with the other columns per step, if the run has no steps
    step_time,
    baseline_step_time,  // this and the next only with a baseline, if both runs have steps
    step_change,
    step_share,
    step_launches,
    saving,  // hidden if the run has steps
    sol_fraction,
    bound,
    rate,
    arithmetic_intensity,
    time,
    share,
    launches,
    // Durations of the row's launches, whether or not they pass the filter.
    min,
    median,
    p95,
    max,
    column_count
  };
  // Whether this run's table can show the column.
  static bool has(const analysis::RunAnalysis& run, int column);
  // Whether it shows the column at first: the others would make the table too wide.
  static bool is_usual(int column) { return column < min; }
  static bool is_of_baseline(int column) {
    return column == baseline_step_time || column == step_change;
  }
  // The column by which tables of this run are sorted, largest first (kernel_order_key()).
  static int order_column(const analysis::RunAnalysis& run);
  using QAbstractTableModel::QAbstractTableModel;

  // Shows all launches of the run. Null: an empty table.
  void set_run(std::shared_ptr<const analysis::RunAnalysis> run);
  void set_shown(std::shared_ptr<const ShownLaunches> shown);  // belongs to that run
  // `matches`: of the run's rows. Null: no baseline, also after set_run().
  void set_baseline(std::shared_ptr<const analysis::RunAnalysis> baseline, RowMatches matches);
  bool has_baseline() const { return baseline_ != nullptr; }
  const analysis::RunAnalysis* run() const { return run_.get(); }
  bool shows(int row) const { return shown_->shows(static_cast<std::size_t>(row)); }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

  // The columns that the kernel catalog does not have, and the cell of one of them.
  std::vector<int> added_columns() const;
  static const analysis::Column& head(int column);
  analysis::Cell added_cell(std::size_t row, int column) const;

 private:
  analysis::Cell cell(const QModelIndex& index) const;
  double p95_s(std::size_t row) const;

  std::shared_ptr<const analysis::RunAnalysis> run_;
  std::shared_ptr<const analysis::RunAnalysis> baseline_;
  RowMatches matches_;
  std::shared_ptr<const ShownLaunches> shown_ = std::make_shared<ShownLaunches>();
  double largest_saving_s_ = 0;
  // By row. Computed when the first cell of the column is shown: it reads all launches.
  mutable std::vector<double> p95_s_;
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
