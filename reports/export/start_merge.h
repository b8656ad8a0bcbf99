// SPDX-License-Identifier: Apache-2.0
// Merges lists of records that are sorted by start.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace mansard::reports {

struct TimedRecord {
  std::size_t list = 0;
  std::size_t index = 0;
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
};

// Calls `visit` with each TimedRecord of `lists`, sorted by start, then by `before`. A list has
// size() and at(index), which returns {start_ns, end_ns}.
template <class Before, class Visit, class... Lists>
void merge_by_start(const Before& before, const Visit& visit, const Lists&... lists) {
  std::vector<std::size_t> next(sizeof...(Lists), 0);
  std::vector<TimedRecord> together;  // records with the same start
  constexpr std::int64_t kEnd = std::numeric_limits<std::int64_t>::max();
  const auto for_each_list = [&](const auto& use) {
    std::size_t number = 0;
    (use(number++, lists), ...);
  };
  for (;;) {
    std::int64_t first_ns = kEnd;
    for_each_list([&](std::size_t number, const auto& list) {
      if (next[number] < list.size()) {
        first_ns = std::min(first_ns, list.at(next[number]).first);
      }
    });
    together.clear();
    for_each_list([&](std::size_t number, const auto& list) {
      for (; next[number] < list.size(); ++next[number]) {
        const auto [start_ns, end_ns] = list.at(next[number]);
        if (start_ns > first_ns) break;
        together.push_back({number, next[number], start_ns, end_ns});
      }
    });
    if (together.empty()) return;
    std::stable_sort(together.begin(), together.end(), before);
    for (const TimedRecord& record : together) visit(record);
  }
}

inline bool shortest_first(const TimedRecord& a, const TimedRecord& b) {
  return a.end_ns < b.end_ns;
}
inline bool longest_first(const TimedRecord& a, const TimedRecord& b) {
  return a.end_ns > b.end_ns;
}

}  // namespace mansard::reports
