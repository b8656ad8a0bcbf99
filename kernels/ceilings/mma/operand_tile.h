// SPDX-License-Identifier: Apache-2.0
// Shared-memory layout of an operand as read by wgmma and tcgen05.mma: K-major rows of 128 bytes
// with the 128-byte swizzle. Source: PTX ISA 8.7, "Shared Memory Matrix Layout", canonical layouts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/ceilings/mma/operand_pattern.h"

namespace mansard::kernels {

inline constexpr int kTileRowBytes = 128;  // width of the swizzle
inline constexpr int kTileStepBytes = 32;  // K of one instruction, for every format
inline constexpr int kTileSteps = kTileRowBytes / kTileStepBytes;

// Offset of byte `column` of row `row`. 16-byte chunks are permuted within each group of 8 rows, so
// that the 8 rows of a core matrix are in different banks.
constexpr int swizzled(int row, int column) {
  return row * kTileRowBytes + ((((column / 16) ^ (row & 7)) * 16) | (column % 16));
}

template <typename Element>
class OperandTile {
 public:
  static constexpr int kColumns = kTileRowBytes * 8 / Element::kBits;

  OperandTile() = default;
  OperandTile(int rows, OperandPattern& draw)
      : rows_(rows), bytes_(static_cast<std::size_t>(rows) * kTileRowBytes) {
    for (int row = 0; row < rows; ++row) {
      for (int k = 0; k < kColumns; ++k) set(row, k, draw.code<Element>());
    }
  }

  const std::vector<unsigned char>& bytes() const { return bytes_; }

  double at(int row, int k) const {
    const int bit = k * Element::kBits;
    std::uint32_t code = 0;
    for (int byte = 0; byte < kSpan; ++byte) {
      code |= std::uint32_t{bytes_[index(row, bit / 8 + byte)]} << (8 * byte);
    }
    return Element::decode((code >> (bit % 8)) & kMask);
  }

  // Values in row-major order, as the GEMM sees them.
  std::vector<double> values() const {
    std::vector<double> out;
    out.reserve(static_cast<std::size_t>(rows_) * kColumns);
    for (int row = 0; row < rows_; ++row) {
      for (int k = 0; k < kColumns; ++k) out.push_back(at(row, k));
    }
    return out;
  }

 private:
  static_assert(Element::kBits <= 32);
  static constexpr int kSpan = Element::kBits < 8 ? 1 : Element::kBits / 8;
  static constexpr std::uint32_t kMask = 0xffffffffu >> (32 - Element::kBits);

  static std::size_t index(int row, int column) {
    return static_cast<std::size_t>(swizzled(row, column));
  }

  // Little-endian; the first of two elements is the low half of their byte.
  void set(int row, int k, std::uint32_t code) {
    const int bit = k * Element::kBits;
    for (int byte = 0; byte < kSpan; ++byte) {
      bytes_[index(row, bit / 8 + byte)] |=
          static_cast<unsigned char>((code << (bit % 8)) >> (8 * byte));
    }
  }

  int rows_ = 0;
  std::vector<unsigned char> bytes_;
};

}  // namespace mansard::kernels
