// SPDX-License-Identifier: Apache-2.0
// Cell values and texts of the kernel tree.
#include "gui/models/kernel_tree_model.h"
#include "gui/models/row_facts.h"
#include "reports/figure/time_ticks.h"

namespace mansard::gui {
namespace {

constexpr double kNs = 1e-9;

// In the order of KernelTreeModel::Column.
const analysis::KernelColumns& tree_columns() {
  static const analysis::KernelColumns columns = [] {
    using enum analysis::CellFormat;
    const auto nothing = [](const analysis::KernelEntry&) { return analysis::Cell(); };
    analysis::KernelColumns all = {
        {{"name", "name", text, "", "Class, short name, signature, launch"}, nothing}};
    analysis::append(all,
                     analysis::choose(analysis::kernel_columns(),
                                      {"step_saving_s", "step_time_s", "saving_s", "sol_fraction",
                                       "flop_per_s", "time_s", "share", "launches"}));
    all.push_back({{"start_s", "start", quantity, "s",
                    "Start of the launch since the first event of the profile"},
                   nothing});
    all.push_back(analysis::at_key(analysis::kernel_columns(), "mean_s"));
    return all;
  }();
  return columns;
}

const analysis::Column& head(int column) {
  return tree_columns()[static_cast<std::size_t>(column)].column;
}

}  // namespace

bool KernelTreeModel::has(const analysis::RunAnalysis& run, int column) {
  if (column == step_saving || column == step_time) return analysis::has_step_times(run);
  return column != saving || !analysis::has_step_times(run);
}

int KernelTreeModel::order_column(const analysis::RunAnalysis& run) {
  return position_of(tree_columns(), analysis::kernel_order_key(run));
}

QVariant KernelTreeModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const std::optional<std::size_t> launch = launch_of(index);
  const Node& node = nodes_[node_of(index)];
  switch (role) {
    case Qt::DisplayRole:
      return launch ? launch_text(*launch, index.column()) : node_text(node, index.column());
    case kCellValueRole:
      return launch ? launch_value(*launch, index.column()) : node_value(node, index.column());
    case kBarRole: {
      if (index.column() != saving && index.column() != step_saving) return {};
      const double all_s = nodes_[kRoot].totals.saving_s;
      return launch || !(all_s > 0) ? 0.0 : node.totals.saving_s / all_s;
    }
    case Qt::ToolTipRole:
      return index.column() == name ? QVariant(tooltip(index)) : QVariant();
    case Qt::TextAlignmentRole:
      return cell_alignment(head(index.column()));
    default:
      return {};
  }
}

QVariant KernelTreeModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= column_count) return {};
  return header_cell(head(section), role);
}

QVariant KernelTreeModel::node_value(const Node& node, int column) const {
  if (column == name) return node.text;
  return cell_value(tree_columns()[static_cast<std::size_t>(column)].value(entry_of(node)));
}

QVariant KernelTreeModel::launch_value(std::size_t launch, int column) const {
  const LaunchColumns& all = run_->launches;
  const double time_s = static_cast<double>(all.end_ns[launch] - all.start_ns[launch]) * kNs;
  switch (column) {
    case name:
      return qlonglong(launch);
    case time:
    case duration:
      return time_s;
    case start:
      if (!store::has_times(all.start_ns[launch], all.end_ns[launch])) return {};
      return qlonglong(all.start_ns[launch] - run_->timeline.zero_ns);
    default:
      return {};
  }
}

QString KernelTreeModel::node_text(const Node& node, int column) const {
  if (column == name) return node.text;
  if (column == start) return {};
  const analysis::ColumnOf<analysis::KernelEntry>& shown =
      tree_columns()[static_cast<std::size_t>(column)];
  return cell_text(shown.value(entry_of(node)), shown.column);
}

QString KernelTreeModel::launch_text(std::size_t launch, int column) const {
  const LaunchColumns& all = run_->launches;
  switch (column) {
    case name:
      return tr("launch %1, %2")
          .arg(QString::fromStdString(analysis::format_count(static_cast<double>(launch) + 1)),
               stream_text(all.streams[all.stream[launch]]));
    case start:
      if (!store::has_times(all.start_ns[launch], all.end_ns[launch])) return {};
      return QString::fromStdString(
          figure::exact_time(all.start_ns[launch] - run_->timeline.zero_ns));
    case duration:
      return quantity_text(launch_value(launch, duration).toDouble(), "s");
    default:
      return {};  // the duration is in its own column; the other columns belong to the signature
  }
}

QString KernelTreeModel::tooltip(const QModelIndex& index) const {
  if (const auto row = row_of(index)) {
    return label_text(run_->analysis.rows[*row].name);
  }
  return nodes_[node_of(index)].text;
}

}  // namespace mansard::gui
