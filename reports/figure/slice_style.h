// SPDX-License-Identifier: Apache-2.0
// How boxes of a timeline look. Marks of one color differ by shape, which a box three pixels wide
// cannot show: boxes of one color differ by lines across them.
#pragma once

#include <optional>
#include <span>

#include "reports/figure/palette.h"
#include "reports/figure/timeline_tracks.h"

namespace mansard::figure {

struct SliceStyle {
  analysis::OperationClass color_class;  // has its color and shape: see mark_style()
  std::span<const double> lines;  // in the background's color: from the top, by the box's height
};

// Of a class of Timeline::classes. What copies and fills without a kernel has the color of kernels
// that copy. Lines keep clear of a name in the middle of the box.
SliceStyle slice_style(analysis::OperationClass slice_class);

// How a track draws the boxes of a class.
struct SliceLook {
  Ink fill;
  Ink faded;                           // of what a filter leaves out
  std::optional<Ink> merged = {};      // of several slices and of very narrow ones; none: as one
  std::optional<Ink> name = {};        // none: boxes have no names
  std::optional<Ink> faded_name = {};  // of what a filter leaves out; none: no name
  std::span<const double> lines = {};  // of SliceStyle
  bool rises = false;                  // only as high as the share of its time that is busy
};

SliceLook slice_look(TrackKind kind, analysis::OperationClass slice_class);

// Whether the row of such a track has a ground, which is seen where nothing runs.
inline bool has_ground(TrackKind kind) { return kind == TrackKind::stream; }

}  // namespace mansard::figure
