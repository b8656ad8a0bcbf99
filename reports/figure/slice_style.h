// SPDX-License-Identifier: Apache-2.0
// Styles of the boxes of a timeline. Classes of one color differ by lines across the box, since
// boxes a few pixels wide cannot show the shapes of marks.
#pragma once

#include <optional>
#include <span>

#include "reports/figure/palette.h"
#include "reports/figure/timeline_tracks.h"

namespace mansard::figure {

struct SliceStyle {
  analysis::OperationClass color_class;  // class that provides color and shape: see mark_style()
  std::span<const double>
      lines;  // in the background color; positions as fractions of the height, from the top
};

// The style of a class of Timeline::classes. Memcpys and memsets have the color of copy kernels.
// Lines avoid the name in the middle of the box.
SliceStyle slice_style(analysis::OperationClass slice_class);

// How tracks of a kind draw the boxes of a class.
struct SliceLook {
  Ink fill;
  Ink faded;                           // of boxes excluded by a filter
  std::optional<Ink> merged = {};      // of merged and very narrow slices; none: as a single slice
  std::optional<Ink> name = {};        // none: no names in boxes
  std::optional<Ink> faded_name = {};  // of boxes excluded by a filter; none: no name
  std::span<const double> lines = {};  // of SliceStyle
  bool rises = false;                  // height is the busy share of its interval
};

SliceLook slice_look(TrackKind kind, analysis::OperationClass slice_class);

// Whether rows of such tracks have a background, which is visible in idle time.
inline bool has_ground(TrackKind kind) { return kind == TrackKind::stream; }

}  // namespace mansard::figure
