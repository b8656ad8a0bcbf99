// SPDX-License-Identifier: Apache-2.0
// The colours of a timeline's boxes, as the report's page has them.
#pragma once

#include <QColor>
#include <span>
#include <vector>

#include "reports/figure/palette.h"
#include "reports/figure/timeline_tracks.h"

namespace mansard::gui {

struct ClassLook {
  QColor fill;
  QColor faded;                   // of what does not pass the filter
  QColor on;                      // of text on `fill`
  std::span<const double> lines;  // see SliceStyle
  bool waits = false;             // a call that waits for the device
};

class TimelineLook {
 public:
  TimelineLook(const figure::Timeline& timeline, figure::Theme theme);

  const ClassLook& of_class(std::uint16_t index) const { return classes_[index]; }
  const figure::Surface& surface() const { return surface_; }

  QColor background;
  QColor ground;  // of streams and lines, and of headings
  QColor grid;
  QColor text;
  QColor faint_text;
  QColor accent;
  QColor span;     // steps and ranges: what they are called matters, not what they are
  QColor merged;   // several of them
  QColor call;     // a call of the API
  QColor waiting;  // one that waits: while it does, nothing is launched

 private:
  const figure::Surface& surface_;
  std::vector<ClassLook> classes_;
};

}  // namespace mansard::gui
