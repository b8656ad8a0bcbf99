// SPDX-License-Identifier: Apache-2.0
// View of a finding's table: sorts by a click on a header, wraps sentences.
#pragma once

#include <QTableView>
#include <QTimer>

#include "gui/models/finding_model.h"

namespace mansard::gui {

class FindingTable : public QTableView {
  Q_OBJECT

 public:
  explicit FindingTable(QWidget* parent = nullptr);

  // Keeps the table's order until a header is clicked. `hidden`: keys of columns not to show.
  void set_table(analysis::Table table, const QStringList& hidden = {});
  const analysis::Table& table() const { return model_->table(); }
  void restore_order();

  // A row index of table(), independent of sorting. Empty or out of range: no current row.
  void set_current(std::optional<std::size_t> row);
  std::optional<std::size_t> current() const;

 Q_SIGNALS:
  // The user made the row current with the mouse or the keys.
  void row_chosen(std::size_t row);
  // The user activated the row: a click or Enter.
  void row_followed(std::size_t row);

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  std::optional<std::size_t> row_of(const QModelIndex& shown) const;
  void fit_columns();
  void fit_rows();
  void fit_names();

  FindingModel* model_;
  FindingSort* sorted_;
  QTimer fit_;          // delays fitting until a splitter stops moving: measuring text takes time
  int sentences_ = -1;  // the column with sentences; -1: none
  int names_px_ = 0;    // width of the first column if there is room
};

}  // namespace mansard::gui
