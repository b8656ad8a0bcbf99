// SPDX-License-Identifier: Apache-2.0
// Names of slices that fit their boxes, kept between frames: a frame may show a thousand of them.
#pragma once

#include <unordered_map>

#include "reports/figure/text_box.h"
#include "reports/figure/timeline_tracks.h"

namespace mansard::figure {

class SliceNames {
 public:
  struct Name {
    std::string text;  // empty: not even a few characters fit
    double width_px = 0;
  };

  // `timeline` must stay where it is.
  SliceNames(const Timeline& timeline, MeasureText measure);

  // The name of a key of the timeline in at most `room_px`, shortened if necessary.
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
