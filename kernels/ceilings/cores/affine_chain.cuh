// SPDX-License-Identifier: Apache-2.0
// The map that the floating-point FMA ceilings repeat: x <- scale * x + 2.5 with a scale near -1.
// The sign of what is added flips and all digits change with every step, so that the units toggle
// bits as on real data, and x stays in [0.5, 2.05). A scale a little above -1 draws x to the fixed
// point near 1.25; how near it is tells how many steps were made, which is what makes the check
// notice a skipped one.
#pragma once

#include <random>

namespace mansard::kernels::cores {

inline constexpr double kOffset = 2.5;
inline constexpr const char* kAffineData = "random values in [0.5, 2)";

// FP32 and FP64: slow enough that x is still random when a launch of some 30,000 steps ends.
inline constexpr double kWideScale = -(1 - 0x1p-15);
// FP16 and BF16 have too few digits for that: any scale that a check could notice would end on the
// fixed point. They are timed at exactly -1, where every second x is the same again, and checked
// with another.
inline constexpr double kNarrowScale = -1;
inline constexpr double kFp16CheckScale = -(1 - 0x1p-9);
inline constexpr double kBf16CheckScale = -(1 - 0x1p-6);

inline double draw_start(std::mt19937_64& engine) {
  return std::uniform_real_distribution<double>(0.5, 2.0)(engine);
}

}  // namespace mansard::kernels::cores
