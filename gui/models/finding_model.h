// SPDX-License-Identifier: Apache-2.0
// Qt model of a finding's table, and a sorting proxy for it.
#pragma once

#include <QAbstractTableModel>
#include <QSortFilterProxyModel>

#include "gui/models/table_cells.h"

namespace mansard::gui {

class FindingModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  using QAbstractTableModel::QAbstractTableModel;

  void set_table(analysis::Table table);
  const analysis::Table& table() const { return table_; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  analysis::Table table_;
};

// Sorts by value; unknown values come last in both orders.
class FindingSort : public QSortFilterProxyModel {
  Q_OBJECT

 public:
  explicit FindingSort(QObject* parent = nullptr);

 protected:
  bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;
};

}  // namespace mansard::gui
