// SPDX-License-Identifier: Apache-2.0
// What is around the rows of a timeline: its axis of time, headings and labels.
#pragma once

#include "gui/views/timeline_look.h"
#include "gui/views/timeline_scene.h"

class QPainter;

namespace mansard::gui {

void paint_time_grid(QPainter& painter, const TimelineScene& scene, const TimelineLook& look);
void paint_time_axis(QPainter& painter, const TimelineScene& scene, const TimelineLook& look);
// Headings go across the rows.
void paint_row_labels(QPainter& painter, const TimelineScene& scene, const TimelineLook& look);

}  // namespace mansard::gui
