// SPDX-License-Identifier: Apache-2.0
// Mapping of mma.sync operand elements to lanes and registers of a warp, for the shapes m8 and m16
// by n8 by any K. All fragments consist of blocks of 8 rows x 4 registers: lane 4 * row + i holds
// register i of a row, and further blocks use further registers, rows first. Source: PTX ISA 8.7,
// "Matrix Fragments for mma.m8n8k4 (.f64)" to "... mma.m16n8k64".
#pragma once

namespace mansard::kernels::mma_sync {

struct Place {
  int lane;
  int reg;
  int element;  // index in the register, from its low end
};

// `kElements`: elements per register of A or B; `kSums`: sums per register of D.
template <int kM, int kK, int kElements, int kSums = 1>
struct FragmentLayout {
  static_assert(kM == 8 || kM == 16);
  static_assert(kK % (4 * kElements) == 0);
  static constexpr int kN = 8;
  static constexpr int kRowBlocks = kM / 8;
  static constexpr int kRegistersB = kK / (4 * kElements);
  static constexpr int kRegistersA = kRowBlocks * kRegistersB;
  static constexpr int kRegistersD = kRowBlocks * 2 / kSums;

  static constexpr Place a(int row, int k) {
    return {4 * (row % 8) + k / kElements % 4, row / 8 + kRowBlocks * (k / (4 * kElements)),
            k % kElements};
  }
  static constexpr Place b(int k, int column) {
    return {4 * column + k / kElements % 4, k / (4 * kElements), k % kElements};
  }
  static constexpr Place d(int row, int column) {
    const int sum = 2 * (row / 8) + column % 2;
    return {4 * (row % 8) + column / 2, sum / kSums, sum % kSums};
  }
};

// Row of A, or column of B, whose block scales a lane holds, one byte each in the order of K. With
// the selectors at 0 the instruction reads those of A from the first two lanes of each group of
// four and those of B from the first; the other lanes hold copies. Source: PTX ISA 8.7, "Block
// Scaling for mma.sync".
constexpr int scale_row(int lane) { return lane / 4 + 8 * (lane % 2); }
constexpr int scale_column(int lane) { return lane / 4; }

}  // namespace mansard::kernels::mma_sync
