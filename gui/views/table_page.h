// SPDX-License-Identifier: Apache-2.0
// A table of a finding with its chart above, if any. Selecting in one marks the row in the other.
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
  // As in FindingTable; a click on a bar acts on its row.
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
  bool moved_ = false;  // the user moved the splitter: keep it
};

// Wraps a chart so that it scrolls if it is too high.
QScrollArea* scrolled(QWidget* content, QWidget* parent);

}  // namespace mansard::gui
