// SPDX-License-Identifier: Apache-2.0
// Names of slices shortened to fit their boxes, cached between frames.
#pragma once

#include <unordered_map>

#include "reports/figure/text_box.h"
#include "reports/figure/timeline_tracks.h"

namespace mansard::figure {

class SliceNames {
 public:
  struct Name {
    std::string text;  // empty: no room
    double width_px = 0;
  };

  // `timeline` must outlive this object.
  SliceNames(const Timeline& timeline, MeasureText measure);

  // The name of a key of the timeline, shortened to at most `room_px`.
  const Name& fitted(std::uint32_t key, double room_px);
  const MeasureText& measure() const { return measure_; }

 private:
  struct Whole : Name {
    int columns = 0;
  };
  const Whole& whole(std::uint32_t key);

  const Timeline& timeline_;
  MeasureText measure_;
  std::unordered_map<std::uint32_t, Whole> whole_;
  std::unordered_map<std::uint64_t, Name> shortened_;  // by key and number of columns
};

}  // namespace mansard::figure
