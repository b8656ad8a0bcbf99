// SPDX-License-Identifier: Apache-2.0
// Something that can be exported: a figure or tables.
#pragma once

#include <QWidget>
#include <vector>

#include "analyzer/table.h"

class QPainter;

namespace mansard::gui {

class View : public QWidget {
  Q_OBJECT

 public:
  using QWidget::QWidget;

  virtual void show_everything() {}  // resets zoom, order and scroll positions

  // Whether this is a figure, painted by paint_figure(), and not a table.
  virtual bool is_figure() const { return false; }
  // Paints as on the screen, at size(), without hover effects. `painter` may write to a file.
  virtual void paint_figure(QPainter&) const {}
  // The displayed data, for CSV files and the clipboard. Empty if nothing is shown.
  virtual std::vector<analysis::Table> tables() const = 0;
};

}  // namespace mansard::gui
