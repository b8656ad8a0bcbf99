// SPDX-License-Identifier: Apache-2.0
#include "gui/views/figure_splitter.h"

namespace mansard::gui {
FigureSplitter::FigureSplitter(int figure_percent, QWidget* parent)
    : QSplitter(parent), figure_percent_(figure_percent) {
  setChildrenCollapsible(false);
  connect(this, &QSplitter::splitterMoved, this, [this] { moved_ = true; });
}

void FigureSplitter::set_parts(QWidget* figure, QWidget* tables) {
  addWidget(figure);
  addWidget(tables);
}

void FigureSplitter::distribute() {
  if (moved_) return;
  const int whole = orientation() == Qt::Horizontal ? width() : height();
  setSizes({whole * figure_percent_ / 100, whole * (100 - figure_percent_) / 100});
}

void FigureSplitter::resizeEvent(QResizeEvent* event) {
  const Qt::Orientation wanted = width() >= kFigureBesideTables_px ? Qt::Horizontal : Qt::Vertical;
  if (wanted != orientation()) {
    moved_ = false;
    setOrientation(wanted);
  }
  QSplitter::resizeEvent(event);
  distribute();
}

}  // namespace mansard::gui
