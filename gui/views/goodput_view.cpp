// SPDX-License-Identifier: Apache-2.0
#include "gui/views/goodput_view.h"

#include <QVBoxLayout>

#include "gui/models/measured_job.h"
#include "gui/views/goodput_panel.h"

namespace mansard::gui {

GoodputView::GoodputView(SelectionModel* selection, QWidget* parent)
    : RunView(selection, parent), panel_(new GoodputPanel(this)) {
  setAccessibleName(tr("Goodput"));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(panel_);
}

void GoodputView::set_ranks(int ranks) {
  ranks_ = ranks;
  is_shown_ = false;
  if (isVisible()) show_run();
}

void GoodputView::set_run(std::shared_ptr<const OpenRun> run) {
  run_ = std::move(run);
  is_shown_ = false;
  if (isVisible() || !run_) show_run();
}

void GoodputView::show_run() {
  if (is_shown_) return;
  is_shown_ = true;
  panel_->set_trained(run_ ? std::optional(trained_job(*run_, ranks_)) : std::nullopt);
}

void GoodputView::showEvent(QShowEvent* event) {
  RunView::showEvent(event);
  show_run();
}

void GoodputView::show_everything() { panel_->show_everything(); }
void GoodputView::paint_figure(QPainter& painter) const { panel_->paint_figure(painter); }
std::vector<analysis::Table> GoodputView::tables() const { return panel_->tables(); }

}  // namespace mansard::gui
