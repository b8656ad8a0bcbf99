// SPDX-License-Identifier: Apache-2.0
// Layout of an operand tile's block scales for tcgen05 in tensor memory. An atom holds 128 rows
// with four scales each: row r uses lane r % 32 and column r / 32 of four 32-bit columns, and its
// four scales are the bytes of that cell, in the order of K. The copy from shared memory
// (tcgen05.cp.32x128b.warpx4) reads 16 bytes for each of the 32 lanes and replicates them for the
// other three groups of 32 lanes. Source: PTX ISA 8.7, "Layout of the Scale Factor A/B Matrix" and
// "tcgen05.cp".
#pragma once

#include <cstddef>
#include <vector>

#include "kernels/ceilings/mma/operand_pattern.h"

namespace mansard::kernels {

inline constexpr int kScaleAtomRows = 128;
inline constexpr int kScaleAtomBytes = 512;
inline constexpr int kScaleAtomColumns = 4;  // of tensor memory
inline constexpr int kScalesPerCell = 4;

// Atoms of rows in the same instruction are adjacent, so that their columns are adjacent, too.
constexpr int scale_offset(int rows, int row, int scale) {
  const int atom = scale / kScalesPerCell * (rows / kScaleAtomRows) + row / kScaleAtomRows;
  return atom * kScaleAtomBytes + row % 32 * 16 + row % kScaleAtomRows / 32 * kScalesPerCell +
         scale % kScalesPerCell;
}

template <typename Scale>
class ScaleTile {
 public:
  ScaleTile(int rows, int scales_per_row, OperandPattern& draw)
      : rows_(rows), bytes_(static_cast<std::size_t>(rows) * scales_per_row) {
    for (unsigned char& code : bytes_) code = draw.scale<Scale>();
  }

  const std::vector<unsigned char>& bytes() const { return bytes_; }
  double at(int row, int scale) const {
    return Scale::decode(bytes_[static_cast<std::size_t>(scale_offset(rows_, row, scale))]);
  }

 private:
  int rows_;
  std::vector<unsigned char> bytes_;
};

}  // namespace mansard::kernels
