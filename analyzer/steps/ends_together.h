// SPDX-License-Identifier: Apache-2.0
// Kernels that form one collective, found by their simultaneous ends: separate groups of ranks end
// at different times.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace mansard::analysis {

// Kernels of one collective end within microseconds of each other; the clocks of the ranks are
// aligned slightly less accurately.
inline constexpr std::int64_t kTogetherNs = 50'000;

// Sorts `nth`, the n-th kernels of a name on all ranks, by end, and calls take(group,
// last_start_ns) for each group of at least two that end together and overlap. `start_ns` and
// `end_ns` return the times of an item.
template <class Item, class Start, class End, class Take>
void for_each_collective(std::vector<Item>& nth, Start start_ns, End end_ns, Take take) {
  std::ranges::sort(nth, {}, end_ns);
  for (std::size_t from = 0, to = 0; from < nth.size(); from = to) {
    std::int64_t last_start_ns = start_ns(nth[from]);
    for (to = from + 1; to < nth.size(); ++to) {
      if (end_ns(nth[to]) - end_ns(nth[to - 1]) > kTogetherNs) break;
      last_start_ns = std::max<std::int64_t>(last_start_ns, start_ns(nth[to]));
    }
    if (to - from < 2 || last_start_ns > end_ns(nth[from])) continue;
    take(std::span<const Item>(nth).subspan(from, to - from), last_start_ns);
  }
}

}  // namespace mansard::analysis
