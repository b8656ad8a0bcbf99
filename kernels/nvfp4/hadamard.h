// SPDX-License-Identifier: Apache-2.0
// A random Hadamard transform: x' = x * diag(signs) * H / sqrt(size) on runs of `size` elements, H
// in Sylvester's order: its entry (i, j) is -1 to the number of common bits of i and j.
//
// The arithmetic, each step rounded to FP32: elements times +-1/size; stages of butterflies (a + b,
// a - b) of neighbors, then at distance 2, 4, ..., size / 2; times sqrt(size) rounded to FP32; the
// result rounded to BF16, whatever the type of x. Dividing first keeps every sum of finite numbers
// finite in between; it is exact but for FP32 elements below size * 2^-126. sqrt(size) is a power
// of two where size is one of four, else it costs a rounding.
//
// A run that reaches beyond the matrix goes on with zeros. Its results beyond the last block of 16
// that begins inside are dropped: whoever multiplies such operands pads the rows to whole runs.
#pragma once

#include <cstdint>
#include <optional>

#include "kernels/nvfp4/layout.h"
#include "kernels/nvfp4/rht.h"
#include "kernels/nvfp4/stochastic.h"

namespace mansard::kernels::nvfp4 {

struct Hadamard {
  static constexpr int kLargest = 128;

  // Transform::rht is Transformer Engine's, of size 16.
  constexpr Hadamard(Transform transform = Transform::rht)
      : size(transform == Transform::rht ? 16 : 1),
        negative{transform == Transform::rht ? kRhtNegative : 0u, 0u, 0u, 0u} {}

  // Signs of a seed. Sign i is bit i of Philox4x32-10 at the counter of all ones, with `seed` as
  // the key, so that a smaller transform has the first signs of a larger one. No matrix of fewer
  // than 2^35 columns draws bits for stochastic rounding there.
  static Hadamard random(int size, std::uint64_t seed);

  // The transform of this size and these signs that kernels are tuned for, or none.
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
    float root = 1.0f;  // of the size's power of four: exact, and the product rounds as the root
    int rest = size;
    for (; rest >= 4; rest /= 4) root *= 2.0f;
    return rest == 2 ? root * kSqrt2 : root;
  }

  int size;                   // 4, 8, 16, 32, 64 or 128; 1: no transform, and nothing is rounded
  std::uint32_t negative[4];  // bit i % 32 of word i / 32 set: sign i is negative
};

// Throws std::invalid_argument for a size that is none of the above, or below `smallest`.
void require_hadamard(const char* operation, const Hadamard& hadamard, int smallest = 1);

}  // namespace mansard::kernels::nvfp4
