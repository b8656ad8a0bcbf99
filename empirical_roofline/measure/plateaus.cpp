// SPDX-License-Identifier: Apache-2.0
#include "empirical_roofline/measure/plateaus.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "support/statistics.h"

namespace mansard::roofline {
namespace {

constexpr double kFlat = 1.15;  // highest / lowest value
constexpr std::size_t kMinPoints = 3;
constexpr double kMinRatio = 2.0;  // largest / smallest working set

using Points = std::vector<SweepPoint>;
using Stretch = std::pair<std::size_t, std::size_t>;  // first and last point

double span(const Points& points, Stretch s) {
  return points[s.second].bytes / points[s.first].bytes;
}

// Finds the longest flat part first, then those on either side of it, so that a slope next to a
// plateau does not claim the plateau's end.
void longest_flat(const Points& points, std::size_t begin, std::size_t end,
                  std::vector<Stretch>& found) {
  Stretch best{0, 0};
  double longest = 0;
  for (std::size_t i = begin; i < end; ++i) {
    double low = points[i].value;
    double high = low;
    for (std::size_t j = i; j < end; ++j) {
      low = std::min(low, points[j].value);
      high = std::max(high, points[j].value);
      if (high > kFlat * low) break;
      if (j - i + 1 >= kMinPoints && span(points, {i, j}) > longest) {
        best = {i, j};
        longest = span(points, best);
      }
    }
  }
  if (longest < kMinRatio) return;
  longest_flat(points, begin, best.first, found);
  found.push_back(best);
  longest_flat(points, best.second + 1, end, found);
}

// Overlap on a logarithmic scale, in doublings.
double overlap(double first, double last, double inside, double capacity) {
  return std::log2(std::min(last, capacity)) - std::log2(std::max(first, inside));
}

}  // namespace

std::vector<TierCapacityRange> reported_tiers(const kernels::DeviceInfo& d,
                                              kernels::KernelRole role) {
  const bool one_thread = role == kernels::KernelRole::latency_ceiling;
  const double outside = std::numeric_limits<double>::infinity();
  std::vector<TierCapacityRange> tiers;
  const auto add = [&](MemoryLevel level, double bytes, int count) {
    if (bytes > 0) tiers.push_back({level, one_thread ? bytes : bytes * std::max(1, count)});
  };
  if (d.target == kernels::Target::cuda) {
    if (one_thread) add(MemoryLevel::shared, d.l1_bytes, 1);
    add(MemoryLevel::l2, d.l2_bytes, d.l2_count);
    tiers.push_back({MemoryLevel::hbm, outside});
  } else {
    add(MemoryLevel::cpu_l1, d.l1_bytes, d.l1_count);
    add(MemoryLevel::cpu_l2, d.l2_bytes, d.l2_count);
    add(MemoryLevel::cpu_l3, d.l3_bytes, d.l3_count);
    tiers.push_back({MemoryLevel::dram, outside});
  }
  return tiers;
}

std::vector<Plateau> find_plateaus(const std::vector<SweepPoint>& curve,
                                   const std::vector<TierCapacityRange>& tiers) {
  Points points;
  for (const SweepPoint& p : curve) {
    if (p.value > 0 && std::isfinite(p.value) && p.bytes > 0) points.push_back(p);
  }
  std::ranges::sort(points, {}, &SweepPoint::bytes);
  std::vector<Stretch> stretches;
  longest_flat(points, 0, points.size(), stretches);

  std::map<std::size_t, std::pair<double, Stretch>> of_tier;  // with the overlap
  for (const Stretch& s : stretches) {
    std::size_t tier = tiers.size();
    double most = 0;
    double inside = 1;
    for (std::size_t t = 0; t < tiers.size(); ++t) {
      const double shared =
          overlap(points[s.first].bytes, points[s.second].bytes, inside,
                  tiers[t].capacity_bytes);
      if (shared > most) {
        most = shared;
        tier = t;
      }
      inside = tiers[t].capacity_bytes;
    }
    if (tier == tiers.size()) continue;
    const auto kept = of_tier.find(tier);
    if (kept == of_tier.end() || kept->second.first < most) of_tier[tier] = {most, s};
  }

  std::vector<Plateau> plateaus;
  for (const auto& [tier, held] : of_tier) {
    const Stretch& s = held.second;
    std::vector<double> values;
    for (std::size_t i = s.first; i <= s.second; ++i) values.push_back(points[i].value);
    plateaus.push_back({points[s.first].kernel, tiers[tier].level, median(values),
                        points[s.first].unit, points[s.first].bytes,
                        points[s.second].bytes});
  }
  return plateaus;
}

}  // namespace mansard::roofline
