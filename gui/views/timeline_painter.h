// SPDX-License-Identifier: Apache-2.0
// Draws a scene of a timeline. Holds nothing: what it draws follows from the scene, the theme and
// the marks.
#pragma once

#include <optional>

#include "gui/models/row_slices.h"
#include "gui/models/slice_filter.h"
#include "gui/views/slice_names.h"
#include "gui/views/timeline_look.h"
#include "gui/views/timeline_scene.h"
#include "reports/figure/timeline_summary.h"

class QPainter;

namespace mansard::gui {

// What is made to stand out; null and none: nothing.
struct TimelineMarks {
  const SliceFilter* filter = nullptr;  // what does not pass is faded
  RowSlices* selected = nullptr;
  RowSlices* hovered = nullptr;
  std::optional<figure::SliceRef> launch;  // the selected one
  std::optional<figure::SliceRef> call;    // that launched it
};

// The whole of scene.area(). `names` are of the scene's run and the painter's font.
void paint_timeline(QPainter& painter, const TimelineScene& scene, figure::Theme theme,
                    const TimelineMarks& marks, SliceNames& names);

}  // namespace mansard::gui
