// SPDX-License-Identifier: Apache-2.0
// MoR, mixture of representations (arXiv 2512.22804): each block of a tensor takes the first of
// E4M3, E5M2 and BF16 in which its quantization error is acceptable. The paper's idea is used; its
// tests and thresholds are not. What follows is Mansard's own definition.
//
// A block is either a whole tensor or 128x128 elements (smaller at the edges of the matrix). Both
// are symmetric, so that a tensor and its transpose have the same values.
//
// Scales (group amax mantissa): all blocks of a tensor share a mantissa m, and each has its own
// power of two.
//   m     mantissa in [1, 2) of (largest FP8 value / amax of the tensor), rounded toward zero. The
//         largest values of both formats are 1.75 times a power of two, so that both have the same
//         m. If the amax is 0 or not finite: 1.
//   s     m * 2^e with the largest e <= 125 for which FP32(amax of the block * s) does not exceed
//         the format's largest value.
//   value BF16(FP8(x * s) * d), with d = FP32(1 / m) * 2^-e and products in FP32.
//
// Error of a block in a format: sum |x - value| / sum |x|. The terms are rounded up to multiples of
// 2^-30 * 2^floor(log2(amax of the block)) before they are added, so that the sums are integers,
// which do not depend on the order of addition, and an error of zero means that no element changes.
// They fit 64 bits for up to 2^33 elements.
//
// Choice: E4M3 if its error is at most the threshold, otherwise E5M2 if its error is, otherwise
// BF16. BF16 elements remain as they are. A block that contains NaN or infinity stays in BF16.
//
// GEMMs: no tensor core reads this mixture, so the values are stored in BF16 for a BF16 GEMM. m has
// 24 bits, so a value with an FP8 code is in general not a BF16 number, and is rounded. The
// alternative, 1/m as a factor of the GEMM, would round the blocks in BF16 instead. The rounding is
// 1/32 of E4M3's, and the errors above include it.
#pragma once

#include <cstdint>

#include "kernels/formats/shape.h"
#include "kernels/nvfp4/layout.h"

namespace mansard::kernels::mor {

enum class Representation : std::uint32_t { e4m3, e5m2, bf16 };  // in order of preference
inline constexpr int kRepresentations = 3;

inline constexpr int kBlock = 128;
inline constexpr int kLargestExponent = 125;  // of s; keeps 2^-e a normal FP32 number
inline constexpr int kSumBits = 30;           // fraction bits of the terms of an error

// Numbers of blocks and of elements in each representation.
struct Counts {
  std::uint64_t blocks[kRepresentations] = {};
  std::uint64_t elements[kRepresentations] = {};
};

// The representation of a whole tensor, and the sums from which it is chosen. All zero before its
// first use; each choice leaves the sums zero.
struct TensorChoice {
  std::uint64_t error[2] = {};  // E4M3, E5M2
  std::uint64_t magnitude = 0;
  std::uint32_t arrived = 0;
  Representation representation = Representation::e4m3;
};

// Whether an error is acceptable.
constexpr bool is_acceptable(std::uint64_t error, std::uint64_t magnitude, float threshold) {
  return static_cast<double>(error) <= double{threshold} * static_cast<double>(magnitude);
}

// Minimum traffic of one launch: each input byte is read once, and each output byte is written
// once, including the amax, the choice and the counts.
namespace traffic {
constexpr std::int64_t quantize_blocks(Shape s) {
  return 2 * nvfp4::bf16_bytes(s) + 4 + 2 * std::int64_t{sizeof(Counts)};
}
constexpr std::int64_t choose(Shape s) {
  return nvfp4::bf16_bytes(s) + 4 + 2 * std::int64_t{sizeof(Counts) + sizeof(TensorChoice)};
}
constexpr std::int64_t quantize_tensor(Shape s) {
  return 2 * nvfp4::bf16_bytes(s) + 4 + std::int64_t{sizeof(Representation)};
}
}  // namespace traffic

}  // namespace mansard::kernels::mor
