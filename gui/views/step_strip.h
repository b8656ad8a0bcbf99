// SPDX-License-Identifier: Apache-2.0
// A bar for each step above the timeline; a click or the arrow keys choose one.
#pragma once

#include <QWidget>
#include <memory>
#include <optional>

#include "gui/models/open_run.h"
#include "reports/figure/drawing.h"
#include "reports/figure/time_scale.h"

namespace mansard::gui {

// Shows the steps of the first device with typical steps, otherwise of the first with steps. Hidden
// if it has fewer than two.
class StepStrip : public QWidget {
  Q_OBJECT

 public:
  explicit StepStrip(QWidget* parent);

  void set_steps(std::shared_ptr<const OpenRun> run);
  // Left and right of the bars, as of the timeline below.
  void set_plot(double left_px, double right_px);
  // The step in the middle of this time span is marked.
  void set_visible_span(const figure::TimeSpan& span);

  std::size_t count() const { return device_ ? device_->steps.size() : 0; }
  std::optional<std::size_t> current() const { return current_; }
  // The step after (1) or before (-1) the one in the middle of `span`; empty without steps.
  std::optional<figure::TimeSpan> neighbor(const figure::TimeSpan& span, int by) const;
  figure::Rect bar(std::size_t step) const;
  QString text_of(std::size_t step) const;  // "step 31: 34.5 ms, typical"

  QSize sizeHint() const override;

 Q_SIGNALS:
  void chosen(figure::TimeSpan step);

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  std::optional<std::size_t> step_at(double x_px) const;
  std::size_t step_of(const figure::TimeSpan& span) const;
  void choose(std::size_t step);
  figure::Drawing draw() const;

  std::shared_ptr<const OpenRun> run_;
  const analysis::DeviceSteps* device_ = nullptr;  // of run_
  double full_ns_ = 1;                             // duration of a bar of full height
  double left_px_ = 0;
  double right_px_ = 1;
  std::optional<std::size_t> current_;
};

}  // namespace mansard::gui
