// SPDX-License-Identifier: Apache-2.0
#include "gui/models/kernel_tree_launches.h"

#include <algorithm>
#include <utility>

#include "gui/models/launch_slices.h"

namespace mansard::gui {

LaunchList TreeLaunches::list_of(std::size_t row) const {
  LaunchList list;
  list.launches = launches_of_row(*run, row);
  if (!shown->all()) {
    std::erase_if(list.launches, [this](std::uint32_t launch) { return !shown->passes[launch]; });
  }
  return list;
}

void TreeLaunches::order_up_to(LaunchList& list, std::size_t count) const {
  if (count <= list.ordered) return;
  const auto rest = list.launches.begin() + static_cast<std::ptrdiff_t>(list.ordered);
  const auto precedes = [this](std::uint32_t a, std::uint32_t b) { return before(a, b); };
  // Already sorted, as profiles usually are when ordered by start.
  if (std::is_sorted(rest, list.launches.end(), precedes)) {
    list.ordered = list.launches.size();
    return;
  }
  // Sorts pairs of key and index: looking up each key during the sort is slower.
  std::vector<std::pair<std::int64_t, std::uint32_t>> keyed;
  keyed.reserve(static_cast<std::size_t>(list.launches.end() - rest));
  const std::int64_t sign = falls ? -1 : 1;
  for (auto it = rest; it != list.launches.end(); ++it) keyed.emplace_back(sign * key(*it), *it);
  const auto end = keyed.begin() + static_cast<std::ptrdiff_t>(count - list.ordered);
  if (end != keyed.end()) std::nth_element(keyed.begin(), end, keyed.end());
  std::sort(keyed.begin(), end);
  std::ranges::transform(keyed, rest, [](const auto& entry) { return entry.second; });
  list.ordered = count;
}

bool TreeLaunches::before(std::uint32_t a, std::uint32_t b) const {
  const std::int64_t key_a = key(a);
  const std::int64_t key_b = key(b);
  if (key_a == key_b) return a < b;
  return falls ? key_a > key_b : key_a < key_b;
}

std::int64_t TreeLaunches::key(std::size_t launch) const {
  const std::int64_t start_ns = run->launches.start_ns[launch];
  return by_duration ? run->launches.end_ns[launch] - start_ns : start_ns;
}

}  // namespace mansard::gui
