// SPDX-License-Identifier: Apache-2.0
// A table of a finding with its chart above, if it has one: what is chosen in one is marked in the
// other.
#pragma once

#include <QSplitter>

#include "analyzer/table.h"

class QLabel;
class QScrollArea;

namespace mansard::gui {

class ChartView;
class FindingTable;

class TablePage : public QSplitter {
  Q_OBJECT

 public:
  explicit TablePage(QWidget* parent = nullptr);

  void set_table(const analysis::Table& table);
  ChartView* chart() { return chart_; }
  FindingTable* table() { return table_; }

 Q_SIGNALS:
  // As of FindingTable; a click on a bar counts for its row.
  void row_chosen(std::size_t row);
  void row_followed(std::size_t row);

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void share_height();

  QScrollArea* figure_;
  ChartView* chart_;
  QLabel* caption_;
  FindingTable* table_;
  bool moved_ = false;  // the border between the two, by the user, whose choice holds
};

// A chart that scrolls where it is higher than its place.
QScrollArea* scrolled(QWidget* content, QWidget* parent);

}  // namespace mansard::gui
