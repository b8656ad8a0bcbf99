// SPDX-License-Identifier: Apache-2.0
// The ranks of a job: what to change first and what is incomplete, a bar for each rank, and a heat
// map of steps and ranks.
#pragma once

#include <memory>

#include "gui/models/open_job.h"
#include "gui/views/view.h"

class QComboBox;
class QLabel;

namespace mansard::gui {

class FigureSplitter;
class NotesBar;
class RankBars;
class SkewMap;

class RanksView : public View {
  Q_OBJECT

 public:
  explicit RanksView(QWidget* parent = nullptr);

  void set_job(std::shared_ptr<const OpenJob> job);  // null: none
  void show_everything() override;
  bool is_figure() const override { return true; }
  void paint_figure(QPainter& painter) const override;
  std::vector<analysis::Table> tables() const override;

  RankBars* bars() { return bars_; }
  SkewMap* map() { return map_; }
  QComboBox* order() { return order_; }
  QComboBox* grids() { return grids_; }
  NotesBar* problems() { return problems_; }
  QString advice() const;

 Q_SIGNALS:
  void rank_clicked(int rank);

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void show_grid();

  std::shared_ptr<const OpenJob> job_;
  QLabel* advice_;
  NotesBar* problems_;
  FigureSplitter* splitter_;
  QComboBox* order_;
  RankBars* bars_;
  QComboBox* grids_;
  QLabel* meaning_;
  SkewMap* map_;
};

}  // namespace mansard::gui
