// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QSplitter>

namespace mansard::gui {

// Minimum width to place tables beside a figure.
constexpr int kFigureBesideTables_px = 900;

// A figure and its tables: side by side if it is wide enough, otherwise one below the other. The
// figure keeps its share of the size until the user moves the handle.
class FigureSplitter : public QSplitter {
 public:
  // `figure_percent`: the figure's share of the width, or of the height.
  FigureSplitter(int figure_percent, QWidget* parent);

  // Adds both, which it then owns. To be called once.
  void set_parts(QWidget* figure, QWidget* tables);
  // Sets the shares. To be called when the parts become visible, as they have no sizes before.
  void distribute();

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  int figure_percent_;
  bool moved_ = false;  // the user moved the handle
};

}  // namespace mansard::gui
