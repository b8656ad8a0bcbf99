// SPDX-License-Identifier: Apache-2.0
// The result of a goodput analysis, computed or simulated: wall time by cause.
#pragma once

#include <array>
#include <numeric>
#include <string>
#include <string_view>

namespace mansard::analysis {

enum class GoodputPart {
  compute,
  synchronization,
  saving,
  lost_work,
  detection,
  rescheduling,
  loading,
  waiting,
  degraded,
};

struct GoodputPartInfo {
  GoodputPart part;
  std::string_view key;
  std::string_view label;
  std::string_view meaning;
};

inline constexpr std::size_t kGoodputParts = 9;
const std::array<GoodputPartInfo, kGoodputParts>& goodput_parts();

struct Goodput {
  double interval_s = 0;  // training time between two checkpoints
  double steps = 0;       // completed
  std::array<double, kGoodputParts> parts_s = {};
  double failures = 0;      // that interrupt the job
  double lost_samples = 0;  // partial recovery: share of all samples (PLS)

  double& operator[](GoodputPart part) { return parts_s[static_cast<std::size_t>(part)]; }
  double operator[](GoodputPart part) const { return parts_s[static_cast<std::size_t>(part)]; }
  // The sum of the parts.
  double wall_s() const { return std::accumulate(parts_s.begin(), parts_s.end(), 0.0); }
  double fraction() const { return (*this)[GoodputPart::compute] / wall_s(); }
  double share(GoodputPart part) const { return (*this)[part] / wall_s(); }
};

// "57.0 s", "14.2 min", "3.09 h", "54.7 days": times of a run are too long for SI prefixes.
std::string duration_text(double time_s);

}  // namespace mansard::analysis
