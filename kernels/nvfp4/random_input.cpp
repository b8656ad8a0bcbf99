// SPDX-License-Identifier: Apache-2.0
#include "kernels/nvfp4/random_input.h"

#include <algorithm>

#include "kernels/nvfp4/parallel.h"

namespace mansard {

void fill_random(Bf16* data, std::int64_t count, DataPattern pattern, std::uint64_t seed,
                 int exponent) {
  constexpr std::int64_t kPiece = 65536;
  parallel_for((count + kPiece - 1) / kPiece, [&](std::int64_t piece) {
    const std::int64_t end = std::min(count, (piece + 1) * kPiece);
    for (std::int64_t i = piece * kPiece; i < end; ++i) {
      data[i] = random_bf16(pattern, seed, static_cast<std::uint64_t>(i), exponent);
    }
  });
}

}  // namespace mansard
