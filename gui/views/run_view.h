// SPDX-License-Identifier: Apache-2.0
// A view of a run: one dock of its page. Views know the run, what is compared with it and the
// selection they share, and nothing of each other.
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

  // Whether the run that there is not yet is being prepared.
  void set_awaits_run(bool awaits) { awaits_run_ = awaits; }
  // Null: none. A machine model alone is a run without rows. Comes before set_baseline().
  virtual void set_run(std::shared_ptr<const OpenRun> run) = 0;
  // What the run is compared with; null: with nothing.
  virtual void set_baseline(std::shared_ptr<const OpenRun>) {}
  virtual void show_everything() {}  // back to where it was when the run was opened

  // Whether it is a drawing that paint_figure() can repeat, or a table.
  virtual bool is_figure() const { return false; }
  // As on the screen, at size(), without what only the cursor adds. `painter` may be of a file.
  virtual void paint_figure(QPainter&) const {}
  // What it shows, in numbers: for CSV files and the clipboard. None: nothing is shown.
  virtual std::vector<analysis::Table> tables() const = 0;

 protected:
  SelectionModel* selection() const { return selection_; }
  // What a view says while it has none.
  QString no_run_text() const {
    return awaits_run_ ? tr("Loading launches ...") : tr("No profile is open.");
  }

 private:
  SelectionModel* selection_;
  bool awaits_run_ = false;
};

}  // namespace mansard::gui
