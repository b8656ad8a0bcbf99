// SPDX-License-Identifier: Apache-2.0
// A finding's table on the screen: sorted by a click on a header, sentences on several lines.
#pragma once

#include <QTableView>
#include <QTimer>

#include "gui/models/finding_model.h"

namespace mansard::gui {

class FindingTable : public QTableView {
  Q_OBJECT

 public:
  explicit FindingTable(QWidget* parent = nullptr);

  // In the table's order until a header is clicked. Columns of `hidden` keys are not shown.
  void set_table(analysis::Table table, const QStringList& hidden = {});
  const analysis::Table& table() const { return model_->table(); }
  void restore_order();

  // A row of table(), not of the screen; none, or one that it does not have: none is current.
  void set_current(std::optional<std::size_t> row);
  std::optional<std::size_t> current() const;

 Q_SIGNALS:
  // The user came to the row, with the mouse or the keys.
  void row_chosen(std::size_t row);
  // And wants what it is about: a click, or Enter.
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
  QTimer fit_;          // once a splitter has come to rest: measuring text takes time
  int sentences_ = -1;  // the column that holds sentences; -1: none
  int names_px_ = 0;    // of the first column, where there is room
};

}  // namespace mansard::gui
