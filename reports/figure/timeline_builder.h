// SPDX-License-Identifier: Apache-2.0
// Collects the slices of a timeline before they become tracks.
#pragma once

#include <unordered_map>

#include "reports/figure/slice_lanes.h"
#include "reports/figure/timeline_tracks.h"

namespace mansard::figure {

class TimelineBuilder {
 public:
  // The key of slices that are called `text`.
  std::uint32_t add_name(std::string text, analysis::OperationClass of_class,
                         std::int32_t row = -1);

  // Divides the slices into lanes, each a track. Nothing for no slices.
  void add_track(TrackKind kind, const std::string& label, std::int32_t device_id,
                 std::vector<Slice> slices, const TrackQueue& queue = {});

  // Of two samples at least.
  void add_line(LineTrack line);

  Timeline take();

 private:
  struct Lane {
    TrackKind kind;
    std::string label;
    std::int32_t device_id;
    std::size_t lane;
    SliceColumns slices;
    TrackQueue queue;
  };
  void include(std::int64_t start_ns, std::int64_t end_ns);

  Timeline out_;
  std::unordered_map<analysis::OperationClass, std::uint16_t> class_index_;
  std::vector<Lane> lanes_;
  bool any_ = false;
};

}  // namespace mansard::figure
