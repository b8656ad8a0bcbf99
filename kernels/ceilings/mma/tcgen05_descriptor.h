// SPDX-License-Identifier: Apache-2.0
// Bit fields that tcgen05 instructions take in registers: instruction descriptors (types and shape)
// and matrix descriptors (operands in shared memory). Plain arithmetic, so that it can be tested
// without such a GPU. Source: PTX ISA 8.7, "Instruction descriptor", tables for .kind::{tf32, f16,
// f8f6f4, i8} and for .kind::{mxf8f6f4, mxf4, mxf4nvf4}; "Shared memory descriptor".
// .kind::{mxf8f6f4, mxf4, mxf4nvf4}; "Shared memory descriptor".
#pragma once

#include <cstdint>

namespace mansard::kernels::tcgen05 {

// Type codes; operand codes depend on the instruction's kind.
namespace type {
inline constexpr std::uint32_t kSumF32 = 1;
inline constexpr std::uint32_t kSumS32 = 2;
inline constexpr std::uint32_t kF16 = 0;   // kind::f16
inline constexpr std::uint32_t kBf16 = 1;  // kind::f16
inline constexpr std::uint32_t kTf32 = 2;  // kind::tf32
inline constexpr std::uint32_t kS8 = 1;    // kind::i8
inline constexpr std::uint32_t kE4m3 = 0;  // kind::f8f6f4 and kind::mxf8f6f4
inline constexpr std::uint32_t kE5m2 = 1;  // kind::f8f6f4 and kind::mxf8f6f4
inline constexpr std::uint32_t kE2m1 =
    1;  // kind::mxf4 and kind::mxf4nvf4, where it is the only one
inline constexpr std::uint32_t kScaleUe4m3 = 0;
inline constexpr std::uint32_t kScaleUe8m0 = 1;
}  // namespace type

// Dense, both operands K-major, not negated, no saturation: those fields are 0.
struct Product {
  std::uint32_t sum = 0;
  std::uint32_t operands = 0;  // of both A and B
  std::uint32_t m = 0;
  std::uint32_t n = 0;
};

constexpr std::uint32_t instruction_descriptor(Product p) {
  return (p.sum << 4) | (p.operands << 7) | (p.operands << 10) | ((p.n / 8) << 17) |
         ((p.m / 16) << 24);
}

// Block-scaled products always accumulate in FP32.
struct ScaledProduct {
  std::uint32_t operands = 0;  // of both A and B
  std::uint32_t scales = 0;    // of both A and B
  std::uint32_t m = 0;
  std::uint32_t n = 0;
};

// `first_scale`: index of the byte of each 32-bit cell in tensor memory with a row's first scale.
constexpr std::uint32_t scaled_descriptor(ScaledProduct p, std::uint32_t first_scale) {
  return (first_scale << 4) | (p.operands << 7) | (p.operands << 10) | ((p.n / 8) << 17) |
         (p.scales << 23) | ((p.m / 128) << 27) | (first_scale << 29);
}

enum class Swizzle : std::uint64_t { none = 0, bytes_128 = 2 };

// `address`: shared-memory address, a multiple of 16. `group_stride`: bytes from one group of 8
// rows to the next. These layouts do not use the stride along K.
constexpr std::uint64_t matrix_descriptor(std::uint32_t address, std::uint32_t group_stride,
                                          Swizzle swizzle) {
  constexpr std::uint64_t kLeadingStride = 1;
  constexpr std::uint64_t kVersion = 1;  // of Blackwell's descriptors
  return ((address & 0x3ffffu) >> 4) | (kLeadingStride << 16) |
         (std::uint64_t{group_stride >> 4} << 32) | (kVersion << 46) |
         (static_cast<std::uint64_t>(swizzle) << 61);
}

// Position of the scales `first` and following of each row: cells from the base, and byte in the
// cell.
struct ScalePlace {
  std::uint32_t cell;
  std::uint32_t byte;
};

constexpr ScalePlace scale_place(std::uint32_t first) { return {first / 4, first % 4}; }

}  // namespace mansard::kernels::tcgen05
