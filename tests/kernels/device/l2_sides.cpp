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

// A made-up L2: SM s is on side s / 3 % 2, a line's side comes from a hash; a line on the other
// side is `gap` cycles later. SMs and slices lie at various distances, and clocks are noisy.
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
  const int flip = sides.of_sm[0] ^ m.of_sm[0];  // which side is called 0 is left open
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

TEST(L2Sides, RefusesAnL2InOnePiece) {
  const Made m = make(0, 25);
  try {
    split_l2(m.cycles, kSms, kLines);
    FAIL() << "two sides were found where there is one";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("form one group"), std::string::npos) << error.what();
  }
}

TEST(L2Sides, RefusesADifferenceThatNoProgramWouldFeel) {
  const Made m = make(5, 0.5);
  EXPECT_THROW(split_l2(m.cycles, kSms, kLines), std::runtime_error);
}

TEST(L2Sides, RejectsATableOfAnotherSize) {
  EXPECT_THROW(split_l2(std::vector<std::uint16_t>(7), 2, 4), std::logic_error);
}

}  // namespace
}  // namespace mansard::kernels
