// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/line_track.h"

#include <algorithm>
#include <cmath>

namespace mansard::figure {
namespace {

void include(ValueRange& range, const ValueRange& other) {
  range.low = std::min(range.low, other.low);
  range.high = std::max(range.high, other.high);
}

}  // namespace

LineTrack::LineTrack(std::string label, std::string unit, std::int32_t device_id)
    : label_(std::move(label)), unit_(std::move(unit)), device_id_(device_id) {}

void LineTrack::add(std::int64_t time_ns, double value) {
  if (!std::isfinite(value) || (size() > 0 && time_ns < time_ns_.back())) return;
  if (size() % kChunk == 0) {
    chunks_.push_back({value, value});
  } else {
    include(chunks_.back(), {value, value});
  }
  time_ns_.push_back(time_ns);
  value_.push_back(value);
}

std::size_t LineTrack::first_at(std::int64_t time_ns) const {
  const auto found = std::lower_bound(time_ns_.begin(), time_ns_.end(), time_ns);
  return static_cast<std::size_t>(found - time_ns_.begin());
}

ValueRange LineTrack::range(std::size_t first, std::size_t last) const {
  ValueRange range{value_[first], value_[first]};
  for (std::size_t i = first; i < last;) {
    const bool whole = i % kChunk == 0 && i + kChunk <= last;
    include(range, whole ? chunks_[i / kChunk] : ValueRange{value_[i], value_[i]});
    i += whole ? kChunk : 1;
  }
  return range;
}

std::vector<LineColumn> visible_columns(const LineTrack& track, const TimeScale& scale) {
  std::size_t first = track.first_at(scale.start_ns());
  std::size_t last = track.first_at(scale.end_ns());
  if (first > 0) --first;
  if (last < track.size()) ++last;
  std::vector<LineColumn> columns;
  for (std::size_t i = first; i < last;) {
    const double x_px = scale.map(track.time_ns(i));
    // One past the last sample of this pixel; a pixel outside of the plot has only one.
    const std::int64_t next_px = scale.invert(std::floor(x_px) + 1);
    const bool inside = x_px >= scale.pixel_min() && x_px < scale.pixel_max();
    const std::size_t next = inside ? std::clamp(track.first_at(next_px), i + 1, last) : i + 1;
    columns.push_back({x_px, track.range(i, next), track.value(next - 1), next - i});
    i = next;
  }
  return columns;
}

}  // namespace mansard::figure
