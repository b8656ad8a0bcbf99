// SPDX-License-Identifier: Apache-2.0
// The samples of collectives of several rank summaries, by kernel name and launch: a sample of one
// rank and that of another with the same key may be of one collective.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "analyzer/ranks/rank_summary.h"

namespace mansard::analysis {

class CollectiveKeys {
 public:
  // `ranks` must outlive this object. Their samples are sorted by collective and launch.
  explicit CollectiveKeys(const std::vector<RankSummary>& ranks);

  const std::vector<std::string>& names() const { return names_; }
  // How often a rank launched the name; 0: never.
  std::int64_t launches(std::size_t rank, std::int32_t name) const;

  // A sample of a rank: RankSummary::samples[index].
  struct Key {
    std::int32_t name = 0;  // into names()
    std::int64_t launch = 0;
    std::size_t index = 0;
  };
  const std::vector<Key>& of(std::size_t rank) const { return keys_[rank]; }  // by name and launch

  // Calls take(name, index in a's samples, index in b's samples).
  template <class Take>
  void for_each_common(std::size_t a, std::size_t b, Take take) const {
    const auto before = [](const Key& x, const Key& y) {
      return std::pair(x.name, x.launch) < std::pair(y.name, y.launch);
    };
    const std::vector<Key>& of_a = keys_[a];
    const std::vector<Key>& of_b = keys_[b];
    for (std::size_t i = 0, j = 0; i < of_a.size() && j < of_b.size();) {
      if (before(of_a[i], of_b[j])) {
        ++i;
      } else if (before(of_b[j], of_a[i])) {
        ++j;
      } else {
        take(of_a[i].name, of_a[i].index, of_b[j].index);
        ++i;
        ++j;
      }
    }
  }

 private:
  std::vector<std::string> names_;
  std::vector<std::vector<Key>> keys_;                          // by rank
  std::vector<std::map<std::int32_t, std::int64_t>> launches_;  // by rank
};

}  // namespace mansard::analysis
