// SPDX-License-Identifier: Apache-2.0
// The innermost loops of the host's low-precision ceilings: instructions that multiply short
// elements and add the products to 32-bit sums, one table entry per instruction. Kernels take an
// entry as a parameter (as with vector_loops.h), so that tests can run every one that the CPU has,
// and faulty ones.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/device/cpu_feature.h"
#include "kernels/device/instruction_set.h"
#include "kernels/vocabulary/precision.h"

namespace mansard::kernels {

// The operand elements that an instruction multiplies for each 32-bit sum ("lane").
struct DotShape {
  int lanes = 0;
  int depth = 0;    // products added to each lane
  int columns = 0;  // 0: each lane has operand elements of its own; else lanes are a matrix, and
                    // left is rows x depth, right depth x columns
  int packed = 0;   // matrix only: adjacent elements of a right column

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

// The unit that executes the arithmetic. A core may have both; each has its own ceilings.
enum class DotUnit { vector, tile };

struct DotLoop {
  std::string_view instruction;
  Precision precision = Precision::int8;  // int8: the sums are INT32; bf16: FP32
  DotUnit unit = DotUnit::vector;
  CpuFeature feature = CpuFeature::avx2;
  InstructionSet set = InstructionSet::baseline;  // the set whose registers it uses
  DotShape shape;
  // Operands in registers. Each left operand is combined with each right one: left * right chains.
  int left = 0;
  int right = 0;
  int steps = 0;  // of every chain per round
  // Elements are integers from lowest_left (left) or -largest (right) to largest; BF16 divides them
  // by largest + 1. For BF16 the range is chosen so that every product and sum of a round is exact
  // in FP32, for any order and rounding of the instruction's additions.
  int lowest_left = 0;
  int largest = 0;
  double starts_per_cycle = 0;  // as documented; 0: measure (dot_rate.h)

  // Repeats `rounds` times, for each chain: sums = 0; `steps` times sums += left * right; totals =
  // 3 * totals + the bits of sums, modulo 2^32. The totals depend on every operation and on the
  // number of rounds. All three arrays are aligned to 64 bytes; totals are ordered by chain.
  void (*advance)(const void* left, const void* right, std::uint32_t* totals,
                  std::int64_t rounds) = nullptr;

  constexpr int chains() const { return left * right; }
  constexpr double operations() const { return 2.0 * shape.lanes * shape.depth; }
};

// Sums of integers below 2^24 in magnitude (here products of numerators) are exact in FP32.
constexpr bool exact_in_fp32(const DotLoop& loop) {
  return loop.precision != Precision::bf16 ||
         std::int64_t{loop.steps} * loop.shape.depth * loop.largest * loop.largest < 1 << 24;
}

inline constexpr int kMaxDotTotals = 1024;        // of all chains, maximum over all entries
inline constexpr int kMaxDotOperandBytes = 2048;  // of all left or all right registers

// The entries that this build has code for, the preferred one last for each precision and unit.
const std::vector<DotLoop>& dot_loops();

// The preferred entry that this CPU supports and whose registers belong to `widest` or a narrower
// set. Null, with `why` set, if there is none.
struct DotChoice {
  const DotLoop* loop = nullptr;
  std::string why;
};
DotChoice choose_dot_loop(Precision precision, DotUnit unit, InstructionSet widest);

}  // namespace mansard::kernels
