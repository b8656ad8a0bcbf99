// SPDX-License-Identifier: Apache-2.0
#include "collector/store/packed_column.h"

#include <limits>
#include <random>

#include <gtest/gtest.h>

namespace mansard::store {
namespace {

void expect_keeps(const std::vector<std::int64_t>& values) {
  PackedColumn column;
  for (const std::int64_t value : values) column.push_back(value);
  column.finish();
  ASSERT_EQ(column.size(), values.size());
  for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(column[i], values[i]) << i;
}

TEST(PackedColumn, KeepsValuesOfAnyWidth) {
  std::mt19937_64 random(3);
  for (const std::size_t count : {0u, 1u, 127u, 128u, 129u, 1000u}) {
    for (int bits = 0; bits <= 64; ++bits) {
      std::vector<std::int64_t> values(count);
      const auto base = static_cast<std::int64_t>(random());
      for (std::int64_t& value : values) {
        const std::uint64_t more = bits == 0 ? 0 : random() >> (64 - bits);
        value = static_cast<std::int64_t>(static_cast<std::uint64_t>(base) + more);
      }
      expect_keeps(values);
    }
  }
}

TEST(PackedColumn, KeepsExtremeValues) {
  using Limits = std::numeric_limits<std::int64_t>;
  expect_keeps({Limits::min(), Limits::max(), 0, -1, 1});
  // As wide as their differences, and one wider.
  for (const std::int64_t wide : {0xffLL, 0xffffLL, 0xffffffffLL}) {
    expect_keeps({-7, wide - 7});
    expect_keeps({-7, wide - 6});
  }
}

TEST(PackedColumn, IsSmall) {
  PackedColumn same;
  PackedColumn times;
  for (std::int64_t i = 0; i < 128000; ++i) {
    same.push_back(42);
    times.push_back(1'700'000'000'000'000'000 + 10'000 * i);
  }
  same.finish();
  times.finish();
  EXPECT_LT(same.held_bytes(), 128000u / 4);
  EXPECT_LT(times.held_bytes(), 128000u * 9 / 2);
}

}  // namespace
}  // namespace mansard::store
