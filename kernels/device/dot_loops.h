// SPDX-License-Identifier: Apache-2.0
// The innermost loops of the host's low-precision ceilings: instructions that multiply many short
// elements and add the products into 32-bit sums, one table entry each. As with vector_loops.h,
// kernels take an entry as a parameter, so that tests can run every one the CPU has, and faulty
// ones.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/device/cpu_feature.h"
#include "kernels/device/instruction_set.h"
#include "kernels/vocabulary/precision.h"

namespace mansard::kernels {

// Which elements of its two operands an instruction multiplies for each 32-bit sum ("lane").
struct DotShape {
  int lanes = 0;
  int depth = 0;    // products added to a lane
  int columns = 0;  // 0: each lane has operand elements of its own; else lanes are a matrix, and
                    // left is rows x depth, right depth x columns
  int packed = 0;   // of a matrix: how many elements of a right column lie side by side

  constexpr int left_element(int lane, int k) const {
    return (columns == 0 ? lane : lane / columns) * depth + k;
  }
  constexpr int right_element(int lane, int k) const {
    if (columns == 0) return lane * depth + k;
    return (k / packed * columns + lane % columns) * packed + k % packed;
  }
  constexpr int left_elements() const { return (columns == 0 ? lanes : lanes / columns) * depth; }
  constexpr int right_elements() const { return (columns == 0 ? lanes : columns) * depth; }
};

// Where the arithmetic happens: each core may have both, and each has ceilings of its own.
enum class DotUnit { vector, tile };

struct DotLoop {
  std::string_view instruction;
  Precision precision = Precision::int8;  // int8: the sums are INT32; bf16: FP32
  DotUnit unit = DotUnit::vector;
  CpuFeature feature = CpuFeature::avx2;
  InstructionSet set = InstructionSet::baseline;  // whose registers it uses
  DotShape shape;
  // Operands in registers, each left one combined with each right one: left * right chains.
  int left = 0;
  int right = 0;
  int steps = 0;  // of every chain in a round
  // Elements are integers from lowest_left (left) or -largest (right) to largest, in BF16 divided
  // by largest + 1. In BF16 the range is chosen so that every product and sum of a round is exact
  // in FP32, in whatever order and with whatever rounding the instruction adds.
  int lowest_left = 0;
  int largest = 0;
  double starts_per_cycle = 0;  // as documented; 0: measure (dot_rate.h)

  // `rounds` times over, for each chain: sums = 0; `steps` times sums += left * right; then its
  // totals = 3 * totals + the sums' bits, modulo 2^32, which every operation and the number of
  // rounds alter. All three arrays are aligned to 64 bytes; totals are chain after chain.
  void (*advance)(const void* left, const void* right, std::uint32_t* totals,
                  std::int64_t rounds) = nullptr;

  constexpr int chains() const { return left * right; }
  constexpr double operations() const { return 2.0 * shape.lanes * shape.depth; }
};

// Sums of integers below 2^24 in magnitude, here of products of numerators, are exact in FP32.
constexpr bool exact_in_fp32(const DotLoop& loop) {
  return loop.precision != Precision::bf16 ||
         std::int64_t{loop.steps} * loop.shape.depth * loop.largest * loop.largest < 1 << 24;
}

inline constexpr int kMaxDotTotals = 1024;        // of all chains, for every entry
inline constexpr int kMaxDotOperandBytes = 2048;  // of all left or all right registers

// What this build has code for; of one precision and unit, the preferred last.
const std::vector<DotLoop>& dot_loops();

// The preferred one that this CPU runs and whose registers belong to `widest` or a narrower set.
// Null, with `why` set, where there is none.
struct DotChoice {
  const DotLoop* loop = nullptr;
  std::string why;
};
DotChoice choose_dot_loop(Precision precision, DotUnit unit, InstructionSet widest);

}  // namespace mansard::kernels
