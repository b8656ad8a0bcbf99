// SPDX-License-Identifier: Apache-2.0
// Draws the scene of a timeline, and over it the selection, the cursor and the time span being
// marked.
#pragma once

#include <QFont>
#include <optional>

#include "gui/models/timeline_marks.h"
#include "gui/views/drawing_painter.h"
#include "gui/views/timeline_scene.h"
#include "reports/figure/slice_names.h"

class QPainter;

namespace mansard::gui {

// Caches memory, names and glyphs between frames.
class TimelinePainter {
 public:
  TimelinePainter() = default;
  TimelinePainter(const TimelinePainter&) = delete;

  // Lays the timeline out for this font. `marks`: null for none.
  void draw(const TimelineScene& scene, const TimelineMarks* marks, const QFont& font);
  const figure::Drawing& drawing() const { return drawing_; }
  const figure::Drawing& marks() const { return marks_; }  // drawn over drawing()
  // `painter` must use the font of draw().
  void paint(QPainter& painter, figure::Theme theme);

  // Draws the cursor: a line at `x_px` with its time, and the marked time span with its length.
  void paint_cursor(QPainter& painter, const TimelineScene& scene, double x_px,
                    figure::Theme theme);
  void paint_marked(QPainter& painter, const TimelineScene& scene, double from_px, double to_px,
                    figure::Theme theme);

 private:
  figure::MeasureText measure() {
    return [this](std::string_view text) { return texts_.size(text); };
  }

  figure::Drawing drawing_;
  figure::Drawing marks_;
  TextLayouts texts_;
  std::shared_ptr<const OpenRun> run_;  // run of names_
  std::optional<figure::SliceNames> names_;
};

}  // namespace mansard::gui
