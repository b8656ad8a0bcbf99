// SPDX-License-Identifier: Apache-2.0
// The line below the timeline about the selected time interval; hidden without one.
#pragma once

#include <QFrame>

#include "gui/models/background.h"
#include "gui/models/selection_model.h"
#include "reports/figure/timeline_summary.h"

class QLabel;

namespace mansard::gui {

class IntervalBar : public QFrame {
  Q_OBJECT

 public:
  IntervalBar(SelectionModel* selection, QWidget* parent);
  QString text() const;

  int heightForWidth(int width_px) const override;

 Q_SIGNALS:
  void zoom_asked();
  void shown_changed();  // or its height

 private:
  void follow();
  void show_facts();

  SelectionModel* selection_;
  QLabel* label_;
  std::optional<figure::TimeSpan> interval_;
  std::shared_ptr<const OpenRun> run_;
  std::optional<figure::WindowSummary> summary_;  // empty while it is computed
  Background computing_{this};
};

}  // namespace mansard::gui
