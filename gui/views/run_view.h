// SPDX-License-Identifier: Apache-2.0
// A view of a run: one dock of its page. Views know the run, its baseline and the shared selection,
// but not each other.
#pragma once

#include <memory>

#include "gui/models/open_run.h"
#include "gui/models/selection_model.h"
#include "gui/views/view.h"

namespace mansard::gui {

class RunView : public View {
  Q_OBJECT

 public:
  RunView(SelectionModel* selection, QWidget* parent) : View(parent), selection_(selection) {}

  // Whether a run is still being prepared for this view.
  void set_awaits_run(bool awaits) { awaits_run_ = awaits; }
  // Null: none. A machine model is a run without rows. Called before set_baseline().
  virtual void set_run(std::shared_ptr<const OpenRun> run) = 0;
  // The baseline of the comparison; null: none.
  virtual void set_baseline(std::shared_ptr<const OpenRun>) {}

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
