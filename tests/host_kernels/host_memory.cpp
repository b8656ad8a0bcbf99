// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/host_memory.h"

#include <cmath>
#include <cstdint>
#include <stdexcept>

#include <gtest/gtest.h>

#include "kernels/cpu/fill.h"

namespace mansard {
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

TEST(PageBuffer, SaysHowMuchWasRefused) {
  try {
    PageBuffer buffer(std::size_t{1} << 60, Pages::system_default);
    FAIL() << "mapped an exbibyte";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("TiB"), std::string::npos) << error.what();
  }
}

TEST(HugePagePolicy, IsOneOfLinuxs) {
  const std::string policy = huge_page_policy();
  EXPECT_TRUE(policy.empty() || policy == "always" || policy == "madvise" || policy == "never")
      << policy;
}

class Patterns : public testing::TestWithParam<DataPattern> {};

TEST_P(Patterns, HaveTheirMoments) {
  constexpr int kValues = 200'000;
  double sum = 0;
  double squares = 0;
  double largest = 0;
  for (int i = 0; i < kValues; ++i) {
    const double x = pattern_value(GetParam(), 3, static_cast<std::uint64_t>(i));
    sum += x;
    squares += x * x;
    largest = std::max(largest, std::fabs(x));
  }
  const double variance = GetParam() == DataPattern::zeros            ? 0
                          : GetParam() == DataPattern::random_uniform ? 1.0 / 3
                                                                      : 1;
  // Five standard errors; the data are the same in every run.
  EXPECT_NEAR(sum / kValues, 0, 5 * std::sqrt(variance / kValues));
  EXPECT_NEAR(squares / kValues, variance, 0.02);
  EXPECT_LE(largest, GetParam() == DataPattern::random_normal ? 3.5 : 1.0);
}

INSTANTIATE_TEST_SUITE_P(All, Patterns,
                         testing::Values(DataPattern::zeros, DataPattern::random_uniform,
                                         DataPattern::random_normal));

TEST(Patterns, FollowTheSeed) {
  EXPECT_NE(pattern_value(DataPattern::random_normal, 1, 5),
            pattern_value(DataPattern::random_normal, 2, 5));
  EXPECT_EQ(pattern_value(DataPattern::random_normal, 1, 5),
            pattern_value(DataPattern::random_normal, 1, 5));
}

}  // namespace
}  // namespace mansard
