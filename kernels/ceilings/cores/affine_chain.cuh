// SPDX-License-Identifier: Apache-2.0
// The map that the floating-point FMA ceilings iterate: x <- scale * x + 2.5 with a scale near -1.
// The sign of the product flips and all digits change with every step, so that the units toggle
// bits as on real data, and x stays in [0.5, 2.05). A scale slightly above -1 draws x to the fixed
// point near 1.25; the distance from it depends on the number of steps, so that the check detects a
// skipped step.
#pragma once

#include <random>

namespace mansard::kernels::cores {

inline constexpr double kOffset = 2.5;
inline constexpr const char* kAffineData = "random values in [0.5, 2)";

// FP32 and FP64: slow enough that x is still random at the end of a launch of about 30,000 steps.
inline constexpr double kWideScale = -(1 - 0x1p-15);
// FP16 and BF16 have too few digits for that: with any scale whose effect a check could detect, x
// would end on the fixed point. They are timed with exactly -1, where every second x repeats, and
// checked with another scale.
inline constexpr double kNarrowScale = -1;
inline constexpr double kFp16CheckScale = -(1 - 0x1p-9);
inline constexpr double kBf16CheckScale = -(1 - 0x1p-6);

inline double draw_start(std::mt19937_64& engine) {
  return std::uniform_real_distribution<double>(0.5, 2.0)(engine);
}

}  // namespace mansard::kernels::cores
