// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/timeline_builder.h"

#include <algorithm>

namespace mansard::figure {

std::uint32_t TimelineBuilder::add_name(std::string text, analysis::OperationClass of_class,
                                        std::int32_t row) {
  const auto [known, is_new] =
      class_index_.try_emplace(of_class, static_cast<std::uint16_t>(out_.classes.size()));
  if (is_new) out_.classes.push_back(of_class);
  out_.names.push_back({std::move(text), known->second, row});
  return static_cast<std::uint32_t>(out_.names.size() - 1);
}

void TimelineBuilder::include(std::int64_t start_ns, std::int64_t end_ns) {
  if (!any_) out_.span = {start_ns, end_ns};
  any_ = true;
  out_.span.start_ns = std::min(out_.span.start_ns, start_ns);
  out_.span.end_ns = std::max(out_.span.end_ns, end_ns);
}

void TimelineBuilder::add_track(TrackKind kind, const std::string& label, std::int32_t device_id,
                                std::vector<Slice> slices, const TrackQueue& queue) {
  SliceLanes divided = divide_into_lanes(std::move(slices));
  out_.left_out += divided.left_out;
  for (std::size_t i = 0; i < divided.lanes.size(); ++i) {
    SliceColumns& lane = divided.lanes[i];
    include(lane.start_ns.front(), lane.end_ns.back());
    lanes_.push_back({kind, label, device_id, i, std::move(lane), queue});
  }
}

void TimelineBuilder::add_line(LineTrack line) {
  if (line.size() < 2) return;
  out_.lines.push_back(std::move(line));
}

Timeline TimelineBuilder::take() {
  auto class_of_key = std::make_shared<ClassOfKey>();
  for (const SliceName& name : out_.names) class_of_key->push_back(name.of_class);
  for (Lane& lane : lanes_) {
    out_.tracks.push_back({lane.kind, std::move(lane.label), lane.device_id, lane.lane,
                           SliceTrack(std::move(lane.slices), class_of_key), lane.queue});
  }
  return std::move(out_);
}

}  // namespace mansard::figure
