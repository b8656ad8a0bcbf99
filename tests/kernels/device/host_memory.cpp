// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/host_memory.h"

#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/ceilings/cpu/fill.h"

namespace mansard::kernels {
namespace {

TEST(PageBuffer, IsAlignedZeroAndWritableToItsEnd) {
  constexpr std::size_t kBytes = (std::size_t{3} << 20) + 17;
  PageBuffer buffer(kBytes, Pages::huge);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % (2 << 20), 0u);
  EXPECT_EQ(buffer.data()[0], std::byte{0});
  EXPECT_EQ(buffer.data()[kBytes - 1], std::byte{0});
  buffer.data()[kBytes - 1] = std::byte{1};
  const PageBuffer moved = std::move(buffer);
  EXPECT_EQ(moved.data()[kBytes - 1], std::byte{1});
}

TEST(PageBuffer, ReportsTheSizeThatCouldNotBeMapped) {
  try {
    PageBuffer buffer(std::size_t{1} << 60, Pages::system_default);
    FAIL() << "mapped an exbibyte";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("TiB"), std::string::npos) << error.what();
  }
}

TEST(HugePagePolicy, IsAKnownLinuxPolicy) {
  const std::string policy = huge_page_policy();
  EXPECT_TRUE(policy.empty() || policy == "always" || policy == "madvise" || policy == "never")
      << policy;
}

TEST(Fill, UniformValuesHaveTheirMoments) {
  constexpr int kValues = 200'000;
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < kValues; ++i) {
    const double x = uniform_value(3, static_cast<std::uint64_t>(i));
    ASSERT_GE(x, -1);
    ASSERT_LT(x, 1);
    sum += x;
    squares += x * x;
  }
  // Five standard errors; the data are the same in every execution.
  EXPECT_NEAR(sum / kValues, 0, 5 * std::sqrt(1.0 / 3 / kValues));
  EXPECT_NEAR(squares / kValues, 1.0 / 3, 0.01);
}

TEST(Fill, UniformIntegersTakeEveryValueEquallyOften) {
  constexpr int kEach = 10'000;
  std::vector<int> counts(15);
  for (int i = 0; i < 15 * kEach; ++i) {
    const int x = uniform_integer(3, static_cast<std::uint64_t>(i), -7, 7);
    ASSERT_GE(x, -7);
    ASSERT_LE(x, 7);
    ++counts[static_cast<std::size_t>(x + 7)];
  }
  for (const int count : counts) EXPECT_NEAR(count, kEach, 5 * std::sqrt(kEach));
}

TEST(Fill, FollowsTheSeed) {
  EXPECT_NE(uniform_value(1, 5), uniform_value(2, 5));
  EXPECT_EQ(uniform_value(1, 5), uniform_value(1, 5));
}

}  // namespace
}  // namespace mansard::kernels
