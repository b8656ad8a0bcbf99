// SPDX-License-Identifier: Apache-2.0
#include "collector/merge/clock_alignment.h"

#include <stdexcept>

#include <gtest/gtest.h>

#include "tests/collector/merge/ranks.h"

namespace mansard::collector {
namespace {

using test::RankClock;

// Ends on each clock; in every `delayed`-th event the last rank is late by 3 ms.
std::vector<std::vector<std::int64_t>> events(const std::vector<RankClock>& clocks, int count,
                                              int delayed = 0) {
  std::mt19937_64 random(7);
  std::vector<std::vector<std::int64_t>> all;
  for (int i = 0; i < count; ++i) {
    std::vector<std::int64_t>& ends = all.emplace_back();
    for (const RankClock& clock : clocks) {
      ends.push_back(clock.says(test::true_end_ns(i) + static_cast<std::int64_t>(random() % 2000)));
    }
    if (delayed != 0 && i % delayed == 0) ends.back() += 3'000'000;
  }
  return all;
}

// Error of the aligned time relative to the first rank, on a rank's clock.
std::int64_t error_ns(const ClockAlignment& a, const std::vector<RankClock>& clocks,
                      std::size_t rank, std::int64_t true_ns) {
  const std::int64_t own = clocks[rank].says(true_ns);
  return own + a.shifts[rank].at(own) - clocks[0].says(true_ns);
}

TEST(ClockAlignment, FindsOffsets) {
  const std::vector<RankClock> clocks = {{0, 0}, {350'000, 0}, {-7'200'000'000'000, 0}};
  const ClockAlignment a = align_clocks(events(clocks, 40));
  for (std::size_t r = 0; r < 3; ++r) {
    EXPECT_EQ(a.shifts[r].drift, 0) << r;
    EXPECT_NEAR(static_cast<double>(a.shifts[r].offset_ns + clocks[r].ahead_ns), 0, 1000) << r;
  }
  EXPECT_LT(a.median_residual_ns, 2500);
  EXPECT_GE(a.largest_residual_ns, a.median_residual_ns);
}

TEST(ClockAlignment, FindsDrift) {
  const std::vector<RankClock> clocks = {{0, 0}, {1'000'000, 20e-6}, {-5000, -80e-6}};
  const auto ends = events(clocks, 400);
  const ClockAlignment a = align_clocks(ends);
  EXPECT_NEAR(a.shifts[1].drift, -20e-6, 1e-6);
  EXPECT_NEAR(a.shifts[2].drift, 80e-6, 1e-6);
  for (const int step : {0, 200, 399}) {
    for (std::size_t r = 0; r < 3; ++r) {
      EXPECT_LT(std::abs(error_ns(a, clocks, r, test::true_end_ns(step))), 2000)
          << r << " " << step;
    }
  }
  EXPECT_LT(a.median_residual_ns, 2500);
}

// A short profile in which one rank falls behind the other by 0.1 %: no clock does that.
TEST(ClockAlignment, RejectsImplausibleDrift) {
  const std::vector<RankClock> clocks = {{0, 0}, {100'000, 900e-6}};
  EXPECT_EQ(align_clocks(events(clocks, 40)).shifts[1].drift, 0);
  const std::vector<RankClock> steep = {{0, 0}, {100'000, 400e-6}};
  EXPECT_NEAR(align_clocks(events(steep, 40)).shifts[1].drift, -400e-6, 20e-6);
}

TEST(ClockAlignment, IsRobustAgainstLateEnds) {
  const std::vector<RankClock> clocks = {{0, 0}, {123'456, 10e-6}};
  const ClockAlignment a = align_clocks(events(clocks, 300, 4));
  for (const int step : {0, 150, 299}) {
    EXPECT_LT(std::abs(error_ns(a, clocks, 1, test::true_end_ns(step))), 2500) << step;
  }
  EXPECT_LT(a.median_residual_ns, 3000);
  EXPECT_GT(a.largest_residual_ns, 2'900'000) << "must be reported";
}

TEST(ClockAlignment, RejectsTooFewEvents) {
  const std::vector<RankClock> clocks = {{0, 0}, {5, 0}};
  EXPECT_NO_THROW(align_clocks(events(clocks, kNeededCollectives)));
  try {
    align_clocks(events(clocks, kNeededCollectives - 1));
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("at least 8"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("7 were found"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace mansard::collector
