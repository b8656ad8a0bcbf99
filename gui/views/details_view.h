// SPDX-License-Identifier: Apache-2.0
// All facts about the selected row and launch, and a histogram of the row's launches; without a
// selection, what to change first.
#pragma once

#include "gui/views/run_view.h"

class QTextBrowser;

namespace mansard::gui {

class LaunchHistogramView;

class DetailsView : public RunView {
  Q_OBJECT

 public:
  explicit DetailsView(SelectionModel* selection, QWidget* parent = nullptr);

  void set_run(std::shared_ptr<const OpenRun> run) override;
  std::vector<analysis::Table> tables() const override;
  QString text() const;  // as last shown
  const LaunchHistogramView& histogram() const { return *histogram_; }
  QSize sizeHint() const override { return {300, 400}; }

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void show_selected();

  std::shared_ptr<const OpenRun> run_;
  QTextBrowser* browser_;
  LaunchHistogramView* histogram_;
  bool behind_ = false;  // the selection changed while hidden
};

}  // namespace mansard::gui
