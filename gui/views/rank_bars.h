// SPDX-License-Identifier: Apache-2.0
// A bar for each rank of a job: the parts of its step. Lays out only the visible bars, so its cost
// does not depend on the number of ranks.
#pragma once

#include <QWidget>
#include <memory>

#include "analyzer/ranks/rank_tables.h"
#include "gui/models/open_job.h"

class QScrollBar;

namespace mansard::gui {

class ChartView;

class RankBars : public QWidget {
  Q_OBJECT

 public:
  explicit RankBars(QWidget* parent = nullptr);

  void set_job(std::shared_ptr<const OpenJob> job);  // null: none
  void set_order(analysis::RankOrder order);
  void scroll_to_top();

  ChartView* chart() { return chart_; }
  QScrollBar* scroll_bar() { return scroll_; }
  const analysis::Table& table() const { return table_; }  // of all compared ranks

 Q_SIGNALS:
  void rank_clicked(int rank);  // JobRank::rank

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;

 private:
  void fill_table();
  void fit();
  void show_slice();

  std::shared_ptr<const OpenJob> job_;
  analysis::RankOrder order_ = analysis::RankOrder::own_time;
  analysis::Table table_;
  ChartView* chart_;
  QScrollBar* scroll_;
  int page_ = 1;  // bars that fit
};

}  // namespace mansard::gui
