// SPDX-License-Identifier: Apache-2.0
// Mouse-wheel conventions of all views.
#pragma once

#include <QWheelEvent>

namespace mansard::gui {

constexpr double kZoomPerNotch = 1.25;

// Notches of a QWheelEvent::angleDelta(); touchpads send fractions of one.
inline double wheel_notches(int angle_delta) {
  return angle_delta / static_cast<double>(QWheelEvent::DefaultDeltasPerStep);
}

}  // namespace mansard::gui
