// SPDX-License-Identifier: Apache-2.0
// How boxes of a timeline look. Marks of one colour differ by shape, which a box three pixels wide
// cannot show: boxes of one colour differ by lines across them.
#pragma once

#include <span>

#include "analyzer/classify/operation_class.h"

namespace mansard::figure {

struct SliceStyle {
  analysis::OperationClass colour_class;  // has its colour and shape: see mark_style()
  std::span<const double> lines;  // in the background's colour: from the top, by the box's height
};

// Lines keep clear of a name in the middle of the box.
inline constexpr double kSliceLine_px = 2;

// Of a class of Timeline::classes. What copies and fills without a kernel has the colour of kernels
// that copy.
SliceStyle slice_style(analysis::OperationClass slice_class);

}  // namespace mansard::figure
