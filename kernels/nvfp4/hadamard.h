// SPDX-License-Identifier: Apache-2.0
// Random Hadamard transform: x' = x * diag(signs) * H / sqrt(size) on runs of `size` elements. H is
// in Sylvester's order: its entry (i, j) is (-1)^popcount(i & j).
//
// Arithmetic, with each step rounded to FP32: multiply the elements by +-1/size; apply butterflies
// (a + b, a - b) at distances 1, 2, 4, ..., size / 2; multiply by sqrt(size) rounded to FP32; round
// the result to BF16 for every type of x. Dividing first keeps all intermediate sums of finite
// numbers finite. The division is exact, except for FP32 elements below size * 2^-126. sqrt(size)
// is a power of two if size is a power of four; otherwise it adds a rounding.
//
// A run that extends beyond the matrix is padded with zeros. Its results beyond the last block of
// 16 that starts inside the matrix are dropped: GEMMs of such operands need rows padded to whole
// runs.
#pragma once

#include <cstdint>
#include <optional>

#include "kernels/nvfp4/layout.h"
#include "kernels/nvfp4/rht.h"
#include "kernels/nvfp4/stochastic.h"

namespace mansard::kernels::nvfp4 {

struct Hadamard {
  static constexpr int kMaxSize = 128;

  // Transform::rht is the size-16 transform of Transformer Engine.
  constexpr Hadamard(Transform transform = Transform::rht)
      : size(transform == Transform::rht ? 16 : 1),
        negative{transform == Transform::rht ? kRhtNegative : 0u, 0u, 0u, 0u} {}

  // Signs derived from a seed. Sign i is bit i of Philox4x32-10 with an all-ones counter and `seed`
  // as the key, so that a smaller transform has the first signs of a larger one. Stochastic
  // rounding uses that counter only for matrices of at least 2^35 columns.
  static Hadamard random(int size, std::uint64_t seed);

  // The Transform with this size and these signs, for which tuned kernels exist; none otherwise.
  std::optional<Transform> known() const {
    for (const Transform transform : {Transform::none, Transform::rht}) {
      if (*this == Hadamard(transform)) return transform;
    }
    return std::nullopt;
  }

  friend constexpr bool operator==(const Hadamard&, const Hadamard&) = default;

  MANSARD_HOST_DEVICE constexpr float before() const { return 1.0f / static_cast<float>(size); }
  MANSARD_HOST_DEVICE constexpr float after() const {
    constexpr float kSqrt2 = 1.41421356237309504880f;
    float root = 1.0f;  // root of the power-of-four part: exact, so the product has one rounding
    int rest = size;
    for (; rest >= 4; rest /= 4) root *= 2.0f;
    return rest == 2 ? root * kSqrt2 : root;
  }

  int size;                   // 4, 8, 16, 32, 64 or 128; 1: no transform, and nothing is rounded
  std::uint32_t negative[4];  // bit i % 32 of word i / 32: sign i is negative
};

// Throws std::invalid_argument if the size is not listed above or is below `smallest`.
void require_hadamard(const char* operation, const Hadamard& hadamard, int smallest = 1);

}  // namespace mansard::kernels::nvfp4
