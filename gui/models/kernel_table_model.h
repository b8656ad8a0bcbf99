// SPDX-License-Identifier: Apache-2.0
// The rows of a run as a table, and its sorted, filtered view.
#pragma once

#include <QAbstractTableModel>
#include <QSortFilterProxyModel>
#include <memory>

#include "gui/models/kernel_filter.h"

namespace mansard {

class KernelTableModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column {
    name,
    operation_class,
    precision,
    launches,
    time,
    share,
    rate,
    arithmetic_intensity,
    bound,
    of_light,
    column_count
  };
  // The value to sort by, or to draw as a bar: a number, a text, or invalid when not known.
  static constexpr int kValueRole = Qt::UserRole;

  using QAbstractTableModel::QAbstractTableModel;

  void set_run(std::shared_ptr<const RunAnalysis> run);  // null: an empty table
  const RunAnalysis* run() const { return run_.get(); }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  std::shared_ptr<const RunAnalysis> run_;
};

class KernelSortFilter : public QSortFilterProxyModel {
  Q_OBJECT

 public:
  explicit KernelSortFilter(QObject* parent = nullptr);

  void set_filter(const QString& text);

 protected:
  bool filterAcceptsRow(int row, const QModelIndex& parent) const override;
  bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;

 private:
  KernelFilter filter_;
};

}  // namespace mansard
