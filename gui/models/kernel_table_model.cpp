// SPDX-License-Identifier: Apache-2.0
#include "gui/models/kernel_table_model.h"

#include <QLocale>
#include <array>

#include "gui/models/row_facts.h"

namespace mansard::gui {
namespace {

struct Header {
  const char* label;
  const char* description;
};

// In the order of KernelTableModel::Column.
constexpr std::array<Header, KernelTableModel::column_count> kHeaders = {{
    {"Kernel",
     "Kernel, or annotated range of the host. One row per name, grid, block and shared "
     "memory."},
    {"Class", "What it does, by its annotation or its name."},
    {"Precision", "Number format of its arithmetic, where known."},
    {"Launches", "How often it ran."},
    {"Time", "Sum over its launches."},
    {"Share", "Of the time of all rows."},
    {"Rate", "FLOPs over time."},
    {"FLOP/B", "Arithmetic intensity: FLOPs over the bytes of device memory (host: DRAM)."},
    {"Bound", "The ceiling that sets its least possible time."},
    {"Of limit",
     "Its speed of light: least possible time over time. 100 % is as fast as the "
     "machine allows."},
}};

QVariant optional_value(std::optional<double> value) {
  return value ? QVariant(*value) : QVariant();
}

bool is_number(int column) {
  return column != KernelTableModel::name && column != KernelTableModel::operation_class &&
         column != KernelTableModel::precision && column != KernelTableModel::bound;
}

}  // namespace

void KernelTableModel::set_run(std::shared_ptr<const analysis::RunAnalysis> run) {
  beginResetModel();
  run_ = std::move(run);
  shown_ = std::make_shared<ShownLaunches>(run_ ? all_launches(*run_) : ShownLaunches());
  endResetModel();
}

void KernelTableModel::set_shown(std::shared_ptr<const ShownLaunches> shown) {
  if (!run_ || shown->launches.size() != run_->rows.size()) return;  // of another run
  shown_ = std::move(shown);
  if (rowCount() == 0) return;
  Q_EMIT dataChanged(index(0, launches), index(rowCount() - 1, share));
}

int KernelTableModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() || !run_ ? 0 : static_cast<int>(run_->rows.size());
}

int KernelTableModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : column_count;
}

QVariant KernelTableModel::value(std::size_t index, int column) const {
  const analysis::KernelRow& row = run_->rows[index];
  switch (column) {
    case name:
      return display_name(row);
    case operation_class:
      return label_text(row.operation_class);
    case precision:
      return row.precision ? QVariant(precision_text(row)) : QVariant();
    case launches:
      return QVariant::fromValue(static_cast<qlonglong>(shown_->launches[index]));
    case time:
      return shown_->time_s[index];
    case share:
      return shown_->share(index);
    case rate:
      return optional_value(flop_per_s(row));
    case arithmetic_intensity:
      return optional_value(intensity(row, main_memory(row.target)));
    case bound:
      return row.limit.bound == analysis::Bound::unknown ? QVariant() : QVariant(bound_text(row));
    case of_light:
      return optional_value(fraction_of_light(row));
    default:
      return {};
  }
}

QString KernelTableModel::text(std::size_t row, int column) const {
  const QVariant known = value(row, column);
  if (!known.isValid()) return QStringLiteral("-");
  switch (column) {
    case launches:
      return QLocale::c().toString(known.toLongLong());
    case time:
      return quantity_text(known.toDouble(), "s");
    case rate:
      return quantity_text(known.toDouble(), "FLOP/s");
    case arithmetic_intensity:
      return ratio_text(known.toDouble());
    case share:
    case of_light:
      return percent_text(known.toDouble());
    default:
      return known.toString();
  }
}

QVariant KernelTableModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const auto row = static_cast<std::size_t>(index.row());
  switch (role) {
    case Qt::DisplayRole:
      return text(row, index.column());
    case kValueRole:
      return value(row, index.column());
    case Qt::ToolTipRole:
      return index.column() == name ? QVariant(label_text(run_->rows[row].name)) : QVariant();
    case Qt::TextAlignmentRole:
      return int(Qt::AlignVCenter | (is_number(index.column()) ? Qt::AlignRight : Qt::AlignLeft));
    default:
      return {};
  }
}

QVariant KernelTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= column_count) return {};
  const Header& header = kHeaders[static_cast<std::size_t>(section)];
  switch (role) {
    case Qt::DisplayRole:
      return QString::fromUtf8(header.label);
    case Qt::ToolTipRole:
      return QString::fromUtf8(header.description);
    case Qt::TextAlignmentRole:
      return int(Qt::AlignVCenter | (is_number(section) ? Qt::AlignRight : Qt::AlignLeft));
    default:
      return {};
  }
}

KernelSortFilter::KernelSortFilter(QObject* parent) : QSortFilterProxyModel(parent) {
  setSortRole(KernelTableModel::kValueRole);
}

void KernelSortFilter::follow_shown() { invalidateFilter(); }

bool KernelSortFilter::filterAcceptsRow(int row, const QModelIndex&) const {
  const auto* table = qobject_cast<const KernelTableModel*>(sourceModel());
  return table == nullptr || table->shows(row);
}

bool KernelSortFilter::lessThan(const QModelIndex& left, const QModelIndex& right) const {
  const QVariant a = left.data(KernelTableModel::kValueRole);
  const QVariant b = right.data(KernelTableModel::kValueRole);
  // What is not known comes last whichever way the column is sorted.
  if (a.isValid() != b.isValid()) return a.isValid() == (sortOrder() == Qt::AscendingOrder);
  return a.isValid() && QVariant::compare(a, b) == QPartialOrdering::Less;
}

}  // namespace mansard::gui
