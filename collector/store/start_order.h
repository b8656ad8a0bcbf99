// SPDX-License-Identifier: Apache-2.0
// Sorts records by start. Files have them ordered by end, which is nearly sorted; SQLite's ORDER BY
// would write all columns of all rows to temporary files.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace mansard::store {

// Stable sort. Sorts small keys and then moves each record once, in place, as there can be
// gigabytes of records.
template <class Record>
void sort_by_start(std::vector<Record>& records) {
  struct Key {
    std::int64_t start_ns;
    std::uint32_t from;
    bool operator<(const Key& other) const {
      return start_ns != other.start_ns ? start_ns < other.start_ns : from < other.from;
    }
  };
  const auto before = [](const Record& a, const Record& b) { return a.start_ns < b.start_ns; };
  if (std::is_sorted(records.begin(), records.end(), before)) return;
  std::vector<Key> keys;
  keys.reserve(records.size());
  for (std::uint32_t i = 0; i < records.size(); ++i) keys.push_back({records[i].start_ns, i});
  std::sort(keys.begin(), keys.end());
  for (std::uint32_t i = 0; i < keys.size(); ++i) {
    if (keys[i].from == i) continue;
    // Follow the permutation cycle that starts here.
    Record first = std::move(records[i]);
    std::uint32_t to = i;
    for (std::uint32_t from = keys[to].from; from != i; from = keys[to].from) {
      records[to] = std::move(records[from]);
      keys[to].from = to;
      to = from;
    }
    records[to] = std::move(first);
    keys[to].from = to;
  }
}

}  // namespace mansard::store
