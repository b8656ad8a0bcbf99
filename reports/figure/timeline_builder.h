// SPDX-License-Identifier: Apache-2.0
// Builds the tracks of a timeline from slices.
#pragma once

#include <unordered_map>

#include "reports/figure/slice_lanes.h"
#include "reports/figure/timeline_tracks.h"

namespace mansard::figure {

class TimelineBuilder {
 public:
  // Adds a name and returns its key.
  std::uint32_t add_name(std::string text, analysis::OperationClass of_class,
                         std::int32_t row = -1);

  // Distributes the slices over lanes and adds a track for each. Adds nothing without slices.
  void add_track(TrackKind kind, const std::string& label, std::int32_t device_id,
                 std::vector<Slice> slices, const TrackQueue& queue = {});

  // Adds a line with at least two samples.
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
