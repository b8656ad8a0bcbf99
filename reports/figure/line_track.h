// SPDX-License-Identifier: Apache-2.0
// A value that was sampled over time: a clock, a power, a counter.
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

  // Of rising times. One that is earlier than the last, or no finite number, is left out.
  void add(std::int64_t time_ns, double value);

  const std::string& label() const { return label_; }    // "GPU 0 SM clock"
  const std::string& unit() const { return unit_; }      // "Hz"; "": as the metric has it
  std::int32_t device_id() const { return device_id_; }  // -1: of none
  std::size_t size() const { return time_ns_.size(); }
  std::int64_t time_ns(std::size_t i) const { return time_ns_[i]; }
  double value(std::size_t i) const { return value_[i]; }
  // Lowest and highest of samples first to last - 1, of which there is one at least.
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

// What one column of pixels shows of a line.
struct LineColumn {
  double x_px = 0;  // of its first sample
  ValueRange range;
  double last = 0;  // in time, where the line goes on to the next column
  std::size_t samples = 0;
};

// By rising time: the samples in the window, and the nearest one on either side of it, which the
// line comes from and goes to. Samples of one pixel are one column, found by searches: the cost
// follows the pixels.
std::vector<LineColumn> visible_columns(const LineTrack& track, const TimeScale& scale);

}  // namespace mansard::figure
