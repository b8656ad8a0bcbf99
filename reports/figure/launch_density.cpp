// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/launch_density.h"

#include <algorithm>
#include <cmath>
#include <future>

namespace mansard::figure {
namespace {

constexpr std::size_t kLaunchesOfOneThread = 300'000;  // about a millisecond

// A part of a row's launches: indices into the columns of LaunchOrder.
struct Stretch {
  std::size_t first = 0;
  std::size_t last = 0;  // one past the end
};

// The part of a stretch for which low <= at + step * factor < high. The factors are sorted, so the
// sum is monotonic even when rounded, and a binary search is exact.
Stretch part_between(Stretch s, const std::vector<float>& factor, float at, float step, float low,
                     float high) {
  const auto value = [&](std::size_t i) { return at + step * factor[i]; };
  const auto is_in = [&](float v) { return v >= low && v < high; };
  if (s.first == s.last) return s;
  const float start = value(s.first);
  const float end = value(s.last - 1);
  if (is_in(start) && is_in(end)) return s;
  // Both ends on one side, or NaN.
  if (!(std::max(start, end) >= low) || !(std::min(start, end) < high)) return {};
  const auto first_where = [&](std::size_t from, auto past) {
    std::size_t count = s.last - from;
    while (count > 0) {
      const std::size_t half = count / 2;
      if (past(value(from + half))) {
        count = half;
      } else {
        from += half + 1;
        count -= half + 1;
      }
    }
    return from;
  };
  const bool rises = end > start;
  const std::size_t first =
      first_where(s.first, [&](float v) { return rises ? v >= low : v < high; });
  const std::size_t last = first_where(first, [&](float v) { return rises ? v >= high : v < low; });
  return {first, last};
}

// Counts the launches of a stretch that is completely inside; returns how many pass the filter.
template <bool kFiltered>
std::size_t count_stretch(const LaunchSet& launches, Stretch s, const LaunchPlace& place,
                          std::uint32_t columns, std::uint32_t lines, std::uint32_t* counts) {
  std::size_t inside = 0;
  for (std::size_t i = s.first; i < s.last; ++i) {
    const float factor = launches.order->log_factor[i];
    // The compiler may round these sums differently from those of the search, so clamp to the last
    // pixel.
    const auto column =
        std::min(static_cast<std::uint32_t>(place.x + place.dx * factor), columns - 1);
    const auto line = std::min(static_cast<std::uint32_t>(place.y + place.dy * factor), lines - 1);
    std::uint32_t one = 1;
    if constexpr (kFiltered) one = (*launches.passes)[launches.order->launch[i]] ? 1 : 0;
    counts[static_cast<std::size_t>(line) * columns + column] += one;
    inside += one;
  }
  return inside;
}

// Counts the launches of a part of the order, which may start and end within rows; returns how many
// are inside and pass the filter.
std::size_t count_part(const LaunchSet& launches, std::span<const LaunchPlace> places, Stretch part,
                       std::size_t columns, std::size_t lines, std::uint32_t* counts) {
  const LaunchOrder& order = *launches.order;
  const auto count = launches.passes == nullptr ? count_stretch<false> : count_stretch<true>;
  const auto after = std::ranges::upper_bound(order.first, part.first);
  std::size_t inside = 0;
  const std::size_t rows = std::min(order.rows(), places.size());
  for (auto row = static_cast<std::size_t>(after - order.first.begin()) - 1; row < rows; ++row) {
    if (order.first[row] >= part.last) break;
    const LaunchPlace& place = places[row];
    Stretch s{std::max<std::size_t>(order.first[row], part.first),
              std::min<std::size_t>(order.first[row + 1], part.last)};
    s = part_between(s, order.log_factor, place.x, place.dx, 0, static_cast<float>(columns));
    s = part_between(s, order.log_factor, place.y, place.dy, 0, static_cast<float>(lines));
    inside += count(launches, s, place, static_cast<std::uint32_t>(columns),
                    static_cast<std::uint32_t>(lines), counts);
  }
  return inside;
}

}  // namespace

std::size_t count_launches(const LaunchSet& launches, std::span<const LaunchPlace> places,
                           std::size_t columns, std::size_t lines, Raster& out,
                           std::vector<std::uint32_t>& scratch) {
  out.columns = columns;
  out.lines = lines;
  out.counts.assign(columns * lines, 0);
  out.highest = 0;
  if (launches.order == nullptr || launches.order->size() == 0) return 0;
  const std::size_t size = launches.order->size();
  const auto count = [&](Stretch part, std::vector<std::uint32_t>& counts) {
    return count_part(launches, places, part, columns, lines, counts.data());
  };
  if (size < kLaunchesOfOneThread) {
    const std::size_t inside = count({0, size}, out.counts);
    for (const std::uint32_t n : out.counts) out.highest = std::max(out.highest, n);
    return inside;
  }
  // The second half has its own counts, so that the two threads do not share cache lines.
  std::future<std::size_t> second = std::async(std::launch::async, [&] {
    scratch.assign(columns * lines, 0);
    return count({size / 2, size}, scratch);
  });
  std::size_t inside = count({0, size / 2}, out.counts);
  inside += second.get();
  for (std::size_t i = 0; i < out.counts.size(); ++i) {
    out.counts[i] += scratch[i];
    out.highest = std::max(out.highest, out.counts[i]);
  }
  return inside;
}

std::optional<Point> place_of(const LaunchPlace& row, float log_factor) {
  const Point at{row.x + row.dx * log_factor, row.y + row.dy * log_factor};
  if (!std::isfinite(at.x) || !std::isfinite(at.y)) return std::nullopt;
  return at;
}

LaunchesNear launches_near(const LaunchSet& launches, std::span<const LaunchPlace> places,
                           Point position, double radius) {
  LaunchesNear near;
  if (launches.order == nullptr) return near;
  const LaunchOrder& order = *launches.order;
  const auto px = static_cast<float>(position.x);
  const auto py = static_cast<float>(position.y);
  const auto r = static_cast<float>(radius);
  float least = r * r;
  for (std::size_t row = 0; row < std::min(order.rows(), places.size()); ++row) {
    const LaunchPlace& place = places[row];
    // Slightly more than the square around the position, to allow for rounding.
    Stretch s{order.first[row], order.first[row + 1]};
    s = part_between(s, order.log_factor, place.x, place.dx, px - r - 0.1F, px + r + 0.1F);
    s = part_between(s, order.log_factor, place.y, place.dy, py - r - 0.1F, py + r + 0.1F);
    std::size_t of_row = 0;
    for (std::size_t i = s.first; i < s.last; ++i) {
      const std::uint32_t launch = order.launch[i];
      const float x = place.x + place.dx * order.log_factor[i] - px;
      const float y = place.y + place.dy * order.log_factor[i] - py;
      const float distance = x * x + y * y;
      if (!(distance <= r * r)) continue;
      if (launches.passes != nullptr && !(*launches.passes)[launch]) continue;
      ++of_row;
      // The first launch of the run at this position.
      if (near.nearest && (distance > least || (distance == least && launch > *near.nearest))) {
        continue;
      }
      near.nearest = launch;
      least = distance;
    }
    if (of_row > 0) near.rows.push_back({static_cast<std::uint32_t>(row), of_row});
    near.launches += of_row;
  }
  std::ranges::sort(near.rows, [](const RowCount& a, const RowCount& b) {
    return a.launches != b.launches ? a.launches > b.launches : a.row < b.row;
  });
  return near;
}

}  // namespace mansard::figure
