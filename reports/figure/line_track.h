// SPDX-License-Identifier: Apache-2.0
// A value sampled over time: a clock, power or counter.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reports/figure/time_scale.h"

namespace mansard::figure {

struct ValueRange {
  double low = 0;
  double high = 0;
};

class LineTrack {
 public:
  LineTrack(std::string label, std::string unit, std::int32_t device_id = -1);

  // Adds a sample. Samples must be in time order; earlier ones and values that are not finite are
  // dropped.
  void add(std::int64_t time_ns, double value);

  const std::string& label() const { return label_; }    // "GPU 0 SM clock"
  const std::string& unit() const { return unit_; }      // "Hz"; "": the metric has no unit
  std::int32_t device_id() const { return device_id_; }  // -1: no device
  std::size_t size() const { return time_ns_.size(); }
  std::int64_t time_ns(std::size_t i) const { return time_ns_[i]; }
  double value(std::size_t i) const { return value_[i]; }
  // Minimum and maximum of samples first to last - 1; the range must not be empty.
  ValueRange range(std::size_t first, std::size_t last) const;

  // The first sample at or after `time_ns`; size() if there is none.
  std::size_t first_at(std::int64_t time_ns) const;

 private:
  static constexpr std::size_t kChunk = 64;

  std::string label_;
  std::string unit_;
  std::int32_t device_id_;
  std::vector<std::int64_t> time_ns_;
  std::vector<double> value_;
  std::vector<ValueRange> chunks_;  // of kChunk samples each
};

// The part of a line in one column of pixels.
struct LineColumn {
  double x_px = 0;  // of its first sample
  ValueRange range;
  double last = 0;  // last value in time, connected to the next column
  std::size_t samples = 0;
};

// The samples in the window plus the nearest one on either side, in time order. Samples of one
// pixel become one column. Uses searches, so the cost depends on the number of pixels.
std::vector<LineColumn> visible_columns(const LineTrack& track, const TimeScale& scale);

}  // namespace mansard::figure
