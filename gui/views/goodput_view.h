// SPDX-License-Identifier: Apache-2.0
// Goodput of a long run with the step of a profile.
#pragma once

#include "gui/views/run_view.h"

namespace mansard::gui {

class GoodputPanel;

class GoodputView : public RunView {
  Q_OBJECT

 public:
  explicit GoodputView(SelectionModel* selection, QWidget* parent = nullptr);

  // Ranks of the job to which the profile belongs; 0: unknown.
  void set_ranks(int ranks);

  void set_run(std::shared_ptr<const OpenRun> run) override;
  void show_everything() override;
  bool is_figure() const override { return true; }
  void paint_figure(QPainter& painter) const override;
  std::vector<analysis::Table> tables() const override;

  GoodputPanel* panel() { return panel_; }

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void show_run();

  std::shared_ptr<const OpenRun> run_;
  int ranks_ = 0;
  bool is_shown_ = false;  // whether the panel shows run_
  GoodputPanel* panel_;
};

}  // namespace mansard::gui
