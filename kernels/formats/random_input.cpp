// SPDX-License-Identifier: Apache-2.0
#include "kernels/formats/random_input.h"

#include <algorithm>

#include "kernels/device/vector_for.h"

namespace mansard::kernels {
namespace {

template <typename T, typename Round>
void fill(T* data, std::int64_t count, DataPattern pattern, std::uint64_t seed, int exponent,
          const Round& round) {
  constexpr std::int64_t kPiece = 65536;
  vector_parallel_for((count + kPiece - 1) / kPiece, [&](std::int64_t piece) {
    const std::int64_t end = std::min(count, (piece + 1) * kPiece);
    for (std::int64_t i = piece * kPiece; i < end; ++i) {
      data[i] = round(random_float(pattern, seed, static_cast<std::uint64_t>(i), exponent));
    }
  });
}

}  // namespace

void fill_random(Bf16* data, std::int64_t count, DataPattern pattern, std::uint64_t seed,
                 int exponent) {
  fill(data, count, pattern, seed, exponent, [](float x) { return bf16::from_float(x); });
}

void fill_random(Half* data, std::int64_t count, DataPattern pattern, std::uint64_t seed,
                 int exponent) {
  fill(data, count, pattern, seed, exponent, [](float x) { return half::from_float(x); });
}

void fill_random(float* data, std::int64_t count, DataPattern pattern, std::uint64_t seed,
                 int exponent) {
  fill(data, count, pattern, seed, exponent, [](float x) { return x; });
}

}  // namespace mansard::kernels
