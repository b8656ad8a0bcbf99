// SPDX-License-Identifier: Apache-2.0
#include "gui/models/kernel_table_model.h"

#include <algorithm>

#include "analyzer/launch_durations.h"
#include "gui/models/row_facts.h"

namespace mansard::gui {
namespace {

using Column = KernelTableModel::Column;

// A catalog column by its key, or a column that the catalog does not have: its values need more
// than the row, see added_cell().
struct TableColumn {
  Column id;
  const char* key;
  std::optional<analysis::Column> added = {};
};

std::vector<TableColumn> table_columns() {
  using enum analysis::CellFormat;
  return {
      {Column::name, "name"},
      {Column::operation_class, "class"},
      {Column::precision, "precision"},
      {Column::step_saving, "step_saving_s"},
      {Column::step_time, "step_time_s"},
      {Column::baseline_step_time, "baseline_step_time_s",
       analysis::Column{"baseline_step_time_s", "baseline per step", quantity, "s",
                        "Time per step of the same kernel in the baseline"}},
      {Column::step_change, "step_change_s",
       analysis::Column{"step_change_s", "change per step", quantity, "s",
                        "Time per step minus that in the baseline; negative: faster", true}},
      {Column::step_share, "step_share"},
      {Column::step_launches, "step_launches"},
      {Column::saving, "saving_s"},
      {Column::sol_fraction, "sol_fraction"},
      {Column::bound, "bound"},
      {Column::rate, "flop_per_s"},
      {Column::arithmetic_intensity, "flop_per_byte"},
      {Column::time, "time_s"},
      {Column::share, "share"},
      {Column::launches, "launches"},
      {Column::min, "min_s"},
      {Column::median, "median_s"},
      {Column::p95, "p95_s",
       analysis::Column{"p95_s", "p95", quantity, "s", "95th percentile of launch durations"}},
      {Column::max, "max_s"},
  };
}

// By KernelTableModel::Column. Added columns have no function.
const analysis::KernelColumns& all_table_columns() {
  static const analysis::KernelColumns columns = [] {
    analysis::KernelColumns of_id(Column::column_count);
    for (TableColumn& column : table_columns()) {
      of_id[column.id] = column.added
                             ? analysis::ColumnOf<analysis::KernelEntry>{*column.added, nullptr}
                             : analysis::at_key(analysis::kernel_columns(), column.key);
    }
    return of_id;
  }();
  return columns;
}

}  // namespace

const analysis::Column& KernelTableModel::head(int column) {
  return all_table_columns()[static_cast<std::size_t>(column)].column;
}

std::vector<int> KernelTableModel::added_columns() const {
  std::vector<int> added;
  for (int id = 0; id < column_count; ++id) {
    const bool present = has_baseline() || !is_of_baseline(id);
    if (present && !all_table_columns()[static_cast<std::size_t>(id)].value) added.push_back(id);
  }
  return added;
}

bool KernelTableModel::has(const analysis::RunAnalysis& run, int column) {
  const bool of_step = column >= step_saving && column <= step_launches;
  if (of_step) return analysis::has_step_times(run);
  return column != saving || !analysis::has_step_times(run);
}

int KernelTableModel::order_column(const analysis::RunAnalysis& run) {
  return position_of(all_table_columns(), analysis::kernel_order_key(run));
}

void KernelTableModel::set_run(std::shared_ptr<const analysis::RunAnalysis> run) {
  beginResetModel();
  run_ = std::move(run);
  p95_s_.clear();
  baseline_ = nullptr;
  matches_ = {};
  largest_saving_s_ = 0;
  if (run_) {
    for (const analysis::KernelRow& row : run_->rows) {
      largest_saving_s_ = std::max(largest_saving_s_, row.saving_s);
    }
  }
  shown_ = std::make_shared<ShownLaunches>(run_ ? all_launches(*run_) : ShownLaunches());
  endResetModel();
}

void KernelTableModel::set_shown(std::shared_ptr<const ShownLaunches> shown) {
  if (!run_ || shown->launches.size() != run_->rows.size()) return;  // belongs to another run
  shown_ = std::move(shown);
  if (rowCount() == 0) return;
  Q_EMIT dataChanged(index(0, time), index(rowCount() - 1, launches));
}

void KernelTableModel::set_baseline(std::shared_ptr<const analysis::RunAnalysis> baseline,
                                    RowMatches matches) {
  const bool per_step =
      run_ && baseline && analysis::has_step_times(*run_) && analysis::has_step_times(*baseline);
  baseline_ = per_step ? std::move(baseline) : nullptr;
  matches_ = per_step ? std::move(matches) : RowMatches();
  if (rowCount() == 0) return;
  Q_EMIT dataChanged(index(0, baseline_step_time), index(rowCount() - 1, step_change));
}

int KernelTableModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() || !run_ ? 0 : static_cast<int>(run_->rows.size());
}

int KernelTableModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : column_count;
}

analysis::Cell KernelTableModel::cell(const QModelIndex& index) const {
  const auto row = static_cast<std::size_t>(index.row());
  const auto& value = all_table_columns()[static_cast<std::size_t>(index.column())].value;
  return value ? value(shown_entry(*run_, *shown_, row)) : added_cell(row, index.column());
}

analysis::Cell KernelTableModel::added_cell(std::size_t row, int column) const {
  if (column == p95 && !run_->rows[row].launch_indices.empty()) return p95_s(row);
  if (!is_of_baseline(column) || !baseline_) return {};
  const std::optional<std::size_t> match = matches_.in_baseline(row);
  if (!match) return {};
  const double baseline_s = baseline_->rows[*match].step_time_s;
  if (column == baseline_step_time) return baseline_s;
  return run_->rows[row].step_time_s - baseline_s;
}

double KernelTableModel::p95_s(std::size_t row) const {
  if (p95_s_.empty()) {
    const analysis::LaunchDurations durations(*run_);
    for (const analysis::KernelRow& each : run_->rows) p95_s_.push_back(durations.p95_s(each));
  }
  return p95_s_[row];
}

QVariant KernelTableModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  switch (role) {
    case Qt::DisplayRole:
      // Intensities are easier to compare without prefixes: 1506 beside 75, not 1.51 k.
      if (index.column() == arithmetic_intensity) {
        const QVariant known = cell_value(cell(index));
        return ratio_text(known.isValid() ? std::optional(known.toDouble()) : std::nullopt);
      }
      return cell_text(cell(index), head(index.column()));
    case kCellValueRole:
      return cell_value(cell(index));
    case kBarRole:
      if (index.column() != saving && index.column() != step_saving) return {};
      if (!cell_value(cell(index)).isValid() || !(largest_saving_s_ > 0)) return 0.0;
      return run_->rows[static_cast<std::size_t>(index.row())].saving_s / largest_saving_s_;
    case Qt::ToolTipRole:
      return index.column() == name
                 ? QVariant(label_text(run_->rows[static_cast<std::size_t>(index.row())].name))
                 : QVariant();
    case Qt::TextAlignmentRole:
      return cell_alignment(head(index.column()));
    default:
      return {};
  }
}

QVariant KernelTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= column_count) return {};
  return header_cell(head(section), role);
}

void KernelSortFilter::follow_shown() { invalidateFilter(); }

bool KernelSortFilter::filterAcceptsRow(int row, const QModelIndex&) const {
  const auto* table = qobject_cast<const KernelTableModel*>(sourceModel());
  return table == nullptr || table->shows(row);
}

}  // namespace mansard::gui
