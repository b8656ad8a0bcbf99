// SPDX-License-Identifier: Apache-2.0
// What the cells of the kernel tree hold and say.
#include <QLocale>

#include "gui/models/kernel_tree_model.h"
#include "gui/models/row_facts.h"
#include "reports/figure/time_ticks.h"

namespace mansard::gui {
namespace {

constexpr double kNs = 1e-9;

QString number_text(qlonglong number) { return QLocale::c().toString(number); }

}  // namespace

QVariant KernelTreeModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const std::optional<std::size_t> launch = launch_of(index);
  const Node& node = nodes_[node_of(index)];
  switch (role) {
    case Qt::DisplayRole:
      return launch ? launch_text(*launch, index.column()) : node_text(node, index.column());
    case kValueRole:
      return launch ? launch_value(*launch, index.column()) : node_value(node, index.column());
    case Qt::ToolTipRole:
      return index.column() == name ? QVariant(tooltip(index)) : QVariant();
    case Qt::TextAlignmentRole:
      return QVariant(Qt::AlignVCenter | (index.column() == name ? Qt::AlignLeft : Qt::AlignRight));
    default:
      return {};
  }
}

QVariant KernelTreeModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= column_count) return {};
  const struct {
    QString label;
    QString tooltip;
  } headers[column_count] = {
      {tr("Kernel"), tr("Class, short name, signature, launch")},
      {tr("Launches"), tr("That pass the filter")},
      {tr("Time"), tr("Sum over these launches")},
      {tr("Share"), tr("Of the time of all that passes the filter")},
      {tr("Rate"), tr("FLOP over time, where FLOPs are known")},
      {tr("Of limit"), tr("Speed of light over time, where it is known")},
      {tr("Start"), tr("Of one launch, since the first event of the profile")},
      {tr("Duration"), tr("Of one launch; of several the mean")},
  };
  switch (role) {
    case Qt::DisplayRole:
      return headers[section].label;
    case Qt::ToolTipRole:
      return headers[section].tooltip;
    case Qt::TextAlignmentRole:
      return QVariant(Qt::AlignVCenter | (section == name ? Qt::AlignLeft : Qt::AlignRight));
    default:
      return {};
  }
}

QVariant KernelTreeModel::node_value(const Node& node, int column) const {
  const Sums& sums = node.sums;
  switch (column) {
    case name:
      return node.text;
    case launches:
      return qlonglong(sums.launches);
    case time:
      return sums.time_s;
    case share:
      return shown_->total_s > 0 ? QVariant(sums.time_s / shown_->total_s) : QVariant();
    case rate:
      return sums.flop_s > 0 ? QVariant(sums.flop / sums.flop_s) : QVariant();
    case of_limit:
      return sums.cost_s > 0 ? QVariant(sums.limit_s / sums.cost_s) : QVariant();
    case duration:
      return sums.launches > 0 ? QVariant(sums.time_s / static_cast<double>(sums.launches))
                               : QVariant();
    default:
      return {};
  }
}

QVariant KernelTreeModel::launch_value(std::size_t launch, int column) const {
  const LaunchColumns& columns = run_->launches;
  const double time_s =
      static_cast<double>(columns.end_ns[launch] - columns.start_ns[launch]) * kNs;
  switch (column) {
    case name:
      return qlonglong(launch);
    case time:
    case duration:
      return time_s;
    case start:
      if (!store::has_times(columns.start_ns[launch], columns.end_ns[launch])) return {};
      return qlonglong(columns.start_ns[launch] - run_->timeline.zero_ns);
    default:
      return {};
  }
}

QString KernelTreeModel::node_text(const Node& node, int column) const {
  const QVariant value = node_value(node, column);
  switch (column) {
    case name:
      return node.text;
    case launches:
      return number_text(value.toLongLong());
    case start:
      return {};
    default:
      break;
  }
  const std::optional<double> known =
      value.isValid() ? std::optional(value.toDouble()) : std::nullopt;
  if (column == share || column == of_limit) return percent_text(known);
  return quantity_text(known, column == rate ? "FLOP/s" : "s");
}

QString KernelTreeModel::launch_text(std::size_t launch, int column) const {
  const LaunchColumns& columns = run_->launches;
  switch (column) {
    case name:
      return tr("launch %1, %2")
          .arg(number_text(qlonglong(launch) + 1),
               stream_text(columns.streams[columns.stream[launch]]));
    case start:
      if (!store::has_times(columns.start_ns[launch], columns.end_ns[launch])) return {};
      return QString::fromStdString(
          figure::exact_time(columns.start_ns[launch] - run_->timeline.zero_ns));
    case duration:
      return quantity_text(launch_value(launch, duration).toDouble(), "s");
    default:
      return {};  // the time is the duration; all else is the signature's
  }
}

QString KernelTreeModel::tooltip(const QModelIndex& index) const {
  if (const auto row = row_of(index)) {
    return label_text(run_->analysis.rows[*row].name);
  }
  return nodes_[node_of(index)].text;
}

}  // namespace mansard::gui
