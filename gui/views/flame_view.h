// SPDX-License-Identifier: Apache-2.0
// Flame graph of NVTX ranges over the device time of a typical step. A click filters all views by a
// range, a double click shows it at full width.
#pragma once

#include <optional>

#include "analyzer/range_tree.h"
#include "gui/models/background.h"
#include "gui/views/run_view.h"
#include "reports/figure/flame_graph.h"

class QLabel;
class QScrollArea;
class QStackedWidget;

namespace mansard::gui {

class FlameCanvas;

class FlameView : public RunView {
  Q_OBJECT

 public:
  explicit FlameView(SelectionModel* selection, QWidget* parent = nullptr);

  void set_run(std::shared_ptr<const OpenRun> run) override;
  void show_everything() override { show_path(0); }
  bool is_figure() const override { return true; }
  void paint_figure(QPainter& painter) const override;
  std::vector<analysis::Table> tables() const override;

  // Null until computed.
  const std::shared_ptr<const analysis::RangeTree>& tree() const { return tree_; }
  // Laid out for the current width.
  const figure::FlameGraph& graph() const;
  QWidget* canvas() const;
  std::size_t root() const { return root_; }  // shown at full width
  void show_path(std::size_t path);
  QString message() const;  // empty: the figure is shown
  QSize sizeHint() const override { return {640, 300}; }

 protected:
  void showEvent(QShowEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  friend class FlameCanvas;
  void compute();
  void show_tree();
  void filter_by(std::size_t path);
  std::optional<std::size_t> marked() const;

  std::shared_ptr<const OpenRun> run_;
  std::shared_ptr<const analysis::RangeTree> tree_;
  bool computing_ = false;
  std::size_t root_ = 0;
  Background background_{this};
  QStackedWidget* stack_;
  QLabel* message_;
  QLabel* explanation_;
  FlameCanvas* canvas_;
};

}  // namespace mansard::gui
