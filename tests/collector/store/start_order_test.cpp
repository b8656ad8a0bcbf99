// SPDX-License-Identifier: Apache-2.0
#include "collector/store/start_order.h"

#include <random>
#include <string>

#include <gtest/gtest.h>

namespace mansard::store {
namespace {

struct Row {
  std::int64_t start_ns;
  std::string text;  // so that a record moved twice or lost shows
  bool operator==(const Row&) const = default;
};

TEST(StartOrder, IsAStableSort) {
  std::mt19937 random(5);
  for (int round = 0; round < 200; ++round) {
    std::vector<Row> rows;
    const int count = static_cast<int>(random() % 60);
    for (int i = 0; i < count; ++i) {
      rows.push_back({static_cast<std::int64_t>(random() % 20), "row " + std::to_string(i)});
    }
    std::vector<Row> expected = rows;
    std::stable_sort(expected.begin(), expected.end(),
                     [](const Row& a, const Row& b) { return a.start_ns < b.start_ns; });
    sort_by_start(rows);
    EXPECT_EQ(rows, expected) << round;
  }
}

}  // namespace
}  // namespace mansard::store
