// SPDX-License-Identifier: Apache-2.0
#include "collector/merge/clock_alignment.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "support/statistics.h"

namespace mansard::collector {
namespace {

// A drift is accepted if it moves the clock by this many times the scatter around it.
constexpr double kBelievable = 3;

// Larger drifts are rejected: Linux steers clocks by at most 500 ppm (MAXFREQ in timex.h). A
// steeper line in a short profile means that the ranks drifted apart, not their clocks.
constexpr double kSteepest = 500e-6;

struct Line {
  double at_zero = 0;
  double slope = 0;
  double scatter = 0;  // median distance of the points from it
};

Line line_of_slope(const std::vector<double>& x, const std::vector<double>& y, double slope) {
  Line line;
  line.slope = slope;
  std::vector<double> rest(y.size());
  for (std::size_t i = 0; i < y.size(); ++i) rest[i] = y[i] - slope * x[i];
  line.at_zero = median(rest);
  for (double& r : rest) r = std::fabs(r - line.at_zero);
  line.scatter = median(rest);
  return line;
}

// `x` is ascending. Slopes are taken between points half the range apart: as robust as all pairs,
// but in linear time, and long distances are the most informative.
Line fit(const std::vector<double>& x, const std::vector<double>& y) {
  const std::size_t half = x.size() / 2;
  std::vector<double> slopes;
  for (std::size_t i = 0; i + half < x.size(); ++i) {
    const double distance = x[i + half] - x[i];
    if (distance > 0) slopes.push_back((y[i + half] - y[i]) / distance);
  }
  const Line flat = line_of_slope(x, y, 0);
  if (slopes.empty()) return flat;
  const Line sloped = line_of_slope(x, y, median(slopes));
  const double moved = std::fabs(sloped.slope) * (x.back() - x.front());
  const bool believable =
      moved > kBelievable * sloped.scatter && std::fabs(sloped.slope) <= kSteepest;
  return believable ? sloped : flat;
}

}  // namespace

ClockFit fit_clock(const std::vector<CommonEvent>& events) {
  const CommonEvent& middle = events[events.size() / 2];
  ClockShift shift;
  shift.middle_ns = middle.own_ns;
  std::vector<std::pair<double, double>>
      points;  // subtract first: epoch times exceed a double's precision
  for (const CommonEvent& event : events) {
    points.emplace_back(static_cast<double>(event.own_ns - middle.own_ns),
                        static_cast<double>(event.reference_ns - event.own_ns));
  }
  std::sort(points.begin(), points.end());
  std::vector<double> x;
  std::vector<double> y;
  // Relative to the middle difference, so that an offset of days does not lose nanoseconds.
  const std::int64_t about = middle.reference_ns - middle.own_ns;
  for (const auto& [at, difference] : points) {
    x.push_back(at);
    y.push_back(difference - static_cast<double>(about));
  }
  const Line line = fit(x, y);
  shift.offset_ns = about + std::llround(line.at_zero);
  shift.drift = line.slope;
  return {shift, line.scatter};
}

std::int64_t ClockShift::at(std::int64_t time_ns) const {
  return offset_ns + std::llround(drift * static_cast<double>(time_ns - middle_ns));
}

ClockAlignment align_clocks(const std::vector<std::vector<std::int64_t>>& ends_ns) {
  if (ends_ns.size() < kNeededCollectives) {
    throw std::runtime_error("cannot align the clocks of the ranks: at least " +
                             std::to_string(kNeededCollectives) +
                             " collectives common to all ranks are needed, and " +
                             std::to_string(ends_ns.size()) + " were found");
  }
  ClockAlignment alignment;
  const std::size_t ranks = ends_ns.front().size();
  for (std::size_t r = 0; r < ranks; ++r) {
    std::vector<CommonEvent> events;
    for (const auto& end : ends_ns) events.push_back({end[0], end[r]});
    alignment.shifts.push_back(fit_clock(events).shift);
  }
  std::vector<double> residuals;
  for (const auto& end : ends_ns) {
    std::int64_t first = INT64_MAX;
    std::int64_t last = INT64_MIN;
    for (std::size_t r = 0; r < ranks; ++r) {
      const std::int64_t aligned = end[r] + alignment.shifts[r].at(end[r]);
      first = std::min(first, aligned);
      last = std::max(last, aligned);
    }
    residuals.push_back(static_cast<double>(last - first));
  }
  alignment.median_residual_ns = median(residuals);
  alignment.largest_residual_ns = *std::max_element(residuals.begin(), residuals.end());
  return alignment;
}

}  // namespace mansard::collector
