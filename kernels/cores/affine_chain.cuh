// SPDX-License-Identifier: Apache-2.0
// The map that the floating-point FMA ceilings repeat: x <- scale * x + 2.5 with a scale a little
// above -1. The sign of what is added flips and all digits change with every step, so that the
// units toggle bits as on real data; x stays in [0.5, 2.05), and comes nearer to its fixed point
// 1.25 so slowly that it is still random when a launch ends. How near tells how many steps were
// made, which is what makes the check notice a skipped one.
#pragma once

#include <random>

namespace mansard::cores {

inline constexpr double kOffset = 2.5;
inline constexpr const char* kAffineData = "random values in [0.5, 2)";

// 1 - |scale|. Wide formats: 2^-15, so that a launch of 32768 steps shrinks the range by e. FP16
// and BF16 cannot come nearer to the fixed point than half an ulp over 1 - |scale|: a quarter here,
// so the values stay apart for ever.
inline constexpr double kWideScale = -(1 - 0x1p-15);
inline constexpr double kFp16Scale = -(1 - 0x1p-9);
inline constexpr double kBf16Scale = -(1 - 0x1p-6);

inline double draw_start(std::mt19937_64& engine) {
  return std::uniform_real_distribution<double>(0.5, 2.0)(engine);
}

}  // namespace mansard::cores
