// SPDX-License-Identifier: Apache-2.0
// A view of a run: one dock of its page. Views know the run, its baseline and the shared selection,
// but not each other.
#pragma once

#include <QWidget>
#include <memory>
#include <vector>

#include "analyzer/table.h"
#include "gui/models/open_run.h"
#include "gui/models/selection_model.h"

class QPainter;

namespace mansard::gui {

class RunView : public QWidget {
  Q_OBJECT

 public:
  RunView(SelectionModel* selection, QWidget* parent) : QWidget(parent), selection_(selection) {}

  // Whether a run is still being prepared for this view.
  void set_awaits_run(bool awaits) { awaits_run_ = awaits; }
  // Null: none. A machine model is a run without rows. Called before set_baseline().
  virtual void set_run(std::shared_ptr<const OpenRun> run) = 0;
  // The baseline of the comparison; null: none.
  virtual void set_baseline(std::shared_ptr<const OpenRun>) {}
  virtual void show_everything() {}  // resets zoom, order and scroll positions

  // Whether this is a figure, painted by paint_figure(), and not a table.
  virtual bool is_figure() const { return false; }
  // Paints as on the screen, at size(), without hover effects. `painter` may write to a file.
  virtual void paint_figure(QPainter&) const {}
  // The displayed data, for CSV files and the clipboard. Empty if nothing is shown.
  virtual std::vector<analysis::Table> tables() const = 0;

 protected:
  SelectionModel* selection() const { return selection_; }
  // Text of a view without a run.
  QString no_run_text() const {
    return awaits_run_ ? tr("Loading launches ...") : tr("No profile is open.");
  }

 private:
  SelectionModel* selection_;
  bool awaits_run_ = false;
};

}  // namespace mansard::gui
