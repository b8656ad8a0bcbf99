// SPDX-License-Identifier: Apache-2.0
// What stands out on a timeline: the launches of the selected row and of that under the cursor, the
// selected launch, and the way to it from its call.
#pragma once

#include "gui/views/timeline_painter.h"

namespace mansard::gui {

void paint_timeline_marks(QPainter& painter, const TimelineScene& scene, const TimelineLook& look,
                          const TimelineMarks& marks);

}  // namespace mansard::gui
