// SPDX-License-Identifier: Apache-2.0
#include "gui/models/kernel_table_model.h"

#include <QLocale>
#include <array>

#include "gui/models/row_facts.h"

namespace mansard {
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

QVariant value_of(const KernelRow& row, int column) {
  switch (column) {
    case KernelTableModel::name:
      return display_name(row);
    case KernelTableModel::operation_class:
      return QString::fromStdString(row.operation_class);
    case KernelTableModel::precision:
      return row.precision ? QVariant(precision_text(row)) : QVariant();
    case KernelTableModel::launches:
      return QVariant::fromValue(static_cast<qlonglong>(row.launches));
    case KernelTableModel::time:
      return row.time_s;
    case KernelTableModel::share:
      return row.share;
    case KernelTableModel::rate:
      return optional_value(flop_per_s(row));
    case KernelTableModel::arithmetic_intensity:
      return optional_value(intensity(row, main_memory(row.target)));
    case KernelTableModel::bound:
      return row.limit.bound == Bound::unknown ? QVariant() : QVariant(bound_text(row));
    case KernelTableModel::of_light:
      return optional_value(fraction_of_light(row));
    default:
      return {};
  }
}

QString text_of(const KernelRow& row, int column) {
  const QVariant value = value_of(row, column);
  if (!value.isValid()) return QStringLiteral("-");
  switch (column) {
    case KernelTableModel::launches:
      return QLocale::c().toString(value.toLongLong());
    case KernelTableModel::time:
      return quantity_text(value.toDouble(), "s");
    case KernelTableModel::rate:
      return quantity_text(value.toDouble(), "FLOP/s");
    case KernelTableModel::arithmetic_intensity:
      return ratio_text(value.toDouble());
    case KernelTableModel::share:
    case KernelTableModel::of_light:
      return percent_text(value.toDouble());
    default:
      return value.toString();
  }
}

bool is_number(int column) {
  return column != KernelTableModel::name && column != KernelTableModel::operation_class &&
         column != KernelTableModel::precision && column != KernelTableModel::bound;
}

}  // namespace

void KernelTableModel::set_run(std::shared_ptr<const RunAnalysis> run) {
  beginResetModel();
  run_ = std::move(run);
  endResetModel();
}

int KernelTableModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() || !run_ ? 0 : static_cast<int>(run_->rows.size());
}

int KernelTableModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : column_count;
}

QVariant KernelTableModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const KernelRow& row = run_->rows[static_cast<std::size_t>(index.row())];
  switch (role) {
    case Qt::DisplayRole:
      return text_of(row, index.column());
    case kValueRole:
      return value_of(row, index.column());
    case Qt::ToolTipRole:
      return index.column() == name ? QVariant(QString::fromStdString(row.name)) : QVariant();
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

void KernelSortFilter::set_filter(const QString& text) {
  filter_ = KernelFilter(text);
  invalidateFilter();
}

bool KernelSortFilter::filterAcceptsRow(int row, const QModelIndex&) const {
  const auto* table = qobject_cast<const KernelTableModel*>(sourceModel());
  if (table == nullptr || table->run() == nullptr) return true;
  return filter_.matches(table->run()->rows[static_cast<std::size_t>(row)]);
}

bool KernelSortFilter::lessThan(const QModelIndex& left, const QModelIndex& right) const {
  const QVariant a = left.data(KernelTableModel::kValueRole);
  const QVariant b = right.data(KernelTableModel::kValueRole);
  // What is not known comes last whichever way the column is sorted.
  if (a.isValid() != b.isValid()) return a.isValid() == (sortOrder() == Qt::AscendingOrder);
  return a.isValid() && QVariant::compare(a, b) == QPartialOrdering::Less;
}

}  // namespace mansard
