// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QPainterPath>

#include "reports/figure/palette.h"

namespace mansard {

// All shapes of one radius have the area of the circle, so that shares compare across classes.
QPainterPath mark_path(MarkShape shape, QPointF centre, double radius);

}  // namespace mansard
