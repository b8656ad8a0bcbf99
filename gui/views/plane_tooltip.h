// SPDX-License-Identifier: Apache-2.0
// Tooltips of a plane, as rich text.
#pragma once

#include <QString>

#include "gui/views/plane_scene.h"

namespace mansard::gui {

QString mark_tooltip(const PlaneScene& scene, const figure::Mark& mark);
QString baseline_tooltip(const PlaneScene& scene, const figure::Mark& mark);  // in baseline_marks()
QString launches_tooltip(const PlaneScene& scene, const figure::LaunchesNear& near);

}  // namespace mansard::gui
