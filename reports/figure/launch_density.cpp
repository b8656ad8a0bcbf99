// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/launch_density.h"

#include <algorithm>
#include <cmath>
#include <future>
#include <unordered_map>

namespace mansard {
namespace {

constexpr std::size_t kBlock = 1024;
constexpr std::size_t kLaunchesOfOneThread = 300'000;  // a millisecond or two

// With one more at the end, for rows that have none.
std::vector<LaunchPlace> with_nowhere(std::span<const LaunchPlace> places) {
  std::vector<LaunchPlace> out(places.begin(), places.end());
  out.emplace_back();
  return out;
}

// The cells of one block's launches that are inside go to `cells`, without a branch: at most zooms
// half of them are, and a processor guesses that badly. Returns how many.
template <bool kFiltered>
std::size_t cells_of(const LaunchSet& launches, std::span<const LaunchPlace> places,
                     std::size_t first, std::size_t last, std::size_t columns, std::size_t lines,
                     std::uint32_t* cells) {
  const auto width = static_cast<float>(columns);
  const auto height = static_cast<float>(lines);
  const std::uint32_t nowhere = static_cast<std::uint32_t>(places.size()) - 1;
  std::size_t count = 0;
  for (std::size_t i = first; i < last; ++i) {
    const LaunchPlace place = places[std::min(launches.row[i], nowhere)];
    const float x = place.x + place.dx * launches.log_factor[i];
    const float y = place.y + place.dy * launches.log_factor[i];
    unsigned inside = static_cast<unsigned>(x >= 0) & static_cast<unsigned>(x < width) &
                      static_cast<unsigned>(y >= 0) & static_cast<unsigned>(y < height);
    if constexpr (kFiltered) inside &= static_cast<unsigned>((*launches.passes)[i]);
    // What is outside may be no number: it must not be converted.
    const float column = inside != 0 ? x : 0.0F;
    const float line = inside != 0 ? y : 0.0F;
    cells[count] = static_cast<std::uint32_t>(line) * static_cast<std::uint32_t>(columns) +
                   static_cast<std::uint32_t>(column);
    count += inside;
  }
  return count;
}

// Adds the launches from `first` to before `last`; returns how many are inside.
std::size_t count_part(const LaunchSet& launches, std::span<const LaunchPlace> places,
                       std::size_t first, std::size_t last, std::size_t columns, std::size_t lines,
                       std::vector<std::uint32_t>& counts) {
  const auto cells_in = launches.passes == nullptr ? cells_of<false> : cells_of<true>;
  std::uint32_t cells[kBlock];
  std::size_t inside = 0;
  for (; first < last; first += kBlock) {
    const std::size_t end = std::min(first + kBlock, last);
    const std::size_t count = cells_in(launches, places, first, end, columns, lines, cells);
    for (std::size_t i = 0; i < count; ++i) ++counts[cells[i]];
    inside += count;
  }
  return inside;
}

}  // namespace

void count_launches(const LaunchSet& launches, std::span<const LaunchPlace> places,
                    std::size_t columns, std::size_t lines, LaunchCounts& out) {
  out.columns = columns;
  out.lines = lines;
  out.counts.assign(columns * lines, 0);
  out.highest = 0;
  const std::vector<LaunchPlace> padded = with_nowhere(places);
  if (launches.size() < kLaunchesOfOneThread) {
    out.inside = count_part(launches, padded, 0, launches.size(), columns, lines, out.counts);
  } else {
    // The second half apart: two threads that count in one place wait for each other.
    out.others.assign(columns * lines, 0);
    const std::size_t half = launches.size() / 2;
    std::future<std::size_t> second = std::async(std::launch::async, [&] {
      return count_part(launches, padded, half, launches.size(), columns, lines, out.others);
    });
    out.inside = count_part(launches, padded, 0, half, columns, lines, out.counts);
    out.inside += second.get();
    for (std::size_t i = 0; i < out.counts.size(); ++i) out.counts[i] += out.others[i];
  }
  if (!out.counts.empty()) out.highest = *std::ranges::max_element(out.counts);
}

std::optional<Point> place_of(const LaunchSet& launches, std::span<const LaunchPlace> places,
                              std::size_t launch) {
  if (launch >= launches.size() || launches.row[launch] >= places.size()) return std::nullopt;
  const LaunchPlace& place = places[launches.row[launch]];
  const Point at{place.x + place.dx * launches.log_factor[launch],
                 place.y + place.dy * launches.log_factor[launch]};
  if (!std::isfinite(at.x) || !std::isfinite(at.y)) return std::nullopt;
  return at;
}

LaunchesNear launches_near(const LaunchSet& launches, std::span<const LaunchPlace> places,
                           Point position, double radius) {
  LaunchesNear near;
  std::unordered_map<std::uint32_t, std::size_t> by_row;
  const auto px = static_cast<float>(position.x);
  const auto py = static_cast<float>(position.y);
  const auto reach = static_cast<float>(radius * radius);
  float least = reach;
  for (std::size_t i = 0; i < launches.size(); ++i) {
    const std::uint32_t row = launches.row[i];
    if (row >= places.size()) continue;
    const float x = places[row].x + places[row].dx * launches.log_factor[i] - px;
    const float y = places[row].y + places[row].dy * launches.log_factor[i] - py;
    const float distance = x * x + y * y;
    if (!(distance <= reach)) continue;
    if (launches.passes != nullptr && !(*launches.passes)[i]) continue;
    ++near.launches;
    ++by_row[row];
    if (near.nearest && distance >= least) continue;
    near.nearest = i;
    least = distance;
  }
  for (const auto& [row, count] : by_row) near.rows.push_back({row, count});
  std::ranges::sort(near.rows, [](const RowCount& a, const RowCount& b) {
    return a.launches != b.launches ? a.launches > b.launches : a.row < b.row;
  });
  return near;
}

}  // namespace mansard
