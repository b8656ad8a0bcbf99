// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/l2_sides.h"

#include <random>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

namespace mansard::kernels {
namespace {

constexpr int kSms = 24;
constexpr int kLines = 600;

// A synthetic L2: SM s is on side s / 3 % 2, the side of a line comes from a hash, and lines on the
// other side are `gap` cycles slower. SMs and slices have different distances, and clocks are
// noisy.
struct Made {
  std::vector<std::uint16_t> cycles;
  std::vector<int> of_sm;
  std::vector<int> of_line;
};

Made make(double gap, double noise) {
  std::mt19937 engine(5);
  std::normal_distribution<double> jitter(0, noise);
  std::uniform_real_distribution<double> distance(0, 30);
  Made m;
  for (int s = 0; s < kSms; ++s) m.of_sm.push_back(s / 3 % 2);
  std::vector<double> slice;
  for (int l = 0; l < kLines; ++l) {
    m.of_line.push_back(static_cast<int>(engine() % 2));
    slice.push_back(distance(engine));
  }
  for (int s = 0; s < kSms; ++s) {
    const double own = distance(engine);
    for (int l = 0; l < kLines; ++l) {
      const bool far =
          m.of_sm[static_cast<std::size_t>(s)] != m.of_line[static_cast<std::size_t>(l)];
      m.cycles.push_back(static_cast<std::uint16_t>(220 + own + slice[static_cast<std::size_t>(l)] +
                                                    (far ? gap : 0) + jitter(engine)));
    }
  }
  return m;
}

TEST(L2Sides, FindsBothSidesUnderNoise) {
  const Made m = make(60, 25);
  const L2Sides sides = split_l2(m.cycles, kSms, kLines);
  const int flip = sides.of_sm[0] ^ m.of_sm[0];  // it is arbitrary which side is 0
  for (int s = 0; s < kSms; ++s) {
    EXPECT_EQ(sides.of_sm[static_cast<std::size_t>(s)] ^ flip,
              m.of_sm[static_cast<std::size_t>(s)]);
  }
  for (int l = 0; l < kLines; ++l) {
    EXPECT_EQ(sides.of_line[static_cast<std::size_t>(l)] ^ flip,
              m.of_line[static_cast<std::size_t>(l)]);
  }
  EXPECT_NEAR(sides.far_cycles - sides.near_cycles, 60, 3);
}

TEST(L2Sides, RejectsAnUnsplitL2) {
  const Made m = make(0, 25);
  try {
    split_l2(m.cycles, kSms, kLines);
    FAIL() << "two sides were found in an L2 with one";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("form one group"), std::string::npos) << error.what();
  }
}

TEST(L2Sides, RejectsAnInsignificantDifference) {
  const Made m = make(5, 0.5);
  EXPECT_THROW(split_l2(m.cycles, kSms, kLines), std::runtime_error);
}

TEST(L2Sides, RejectsATableOfTheWrongSize) {
  EXPECT_THROW(split_l2(std::vector<std::uint16_t>(7), 2, 4), std::logic_error);
}

}  // namespace
}  // namespace mansard::kernels
