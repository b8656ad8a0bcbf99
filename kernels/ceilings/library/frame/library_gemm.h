// SPDX-License-Identifier: Apache-2.0
// What one format's GEMM is to a library: everything that differs between the ceilings of this
// folder.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "kernels/ceilings/mma/accumulation_error.h"
#include "kernels/kernel.h"
#include "kernels/recipes/random_element.h"

namespace mansard::kernels::library {

struct LibraryGemm {
  std::string name;
  std::string summary;
  Precision precision = Precision::bf16;
  std::string unit = "FLOP/s";
  int min_compute_capability = 80;  // 10 * major + minor

  ElementFormat operand = ElementFormat::bf16;
  // What verification fills the operands with, where that differs from what is timed.
  std::optional<ElementFormat> checked_operand;
  ElementFormat result = ElementFormat::bf16;

  // Block-scaled formats: the scale's format and the elements that share one; 0: none.
  int scale_block = 0;
  ElementFormat scale = ElementFormat::scale_e8m0;

  // FP8 with a scale for the whole tensor, which is 1, and sums that stay in the tensor cores.
  bool tensor_scale = false;
  bool fast_accumulation = false;

  // Also tried with B as k x n, the product of two row-major matrices. Formats of 8 bits and less
  // have no such kernels.
  bool both_layouts = false;

  // Of the instruction that accumulates: elements of the reduction axis, and fraction bits that the
  // running sum keeps (accumulation_error.h).
  int instruction_k = 16;
  int fraction_bits = kFp32FractionBits;

  // FLOP or op a clock and SM of the tensor cores, by compute capability; none: not stated.
  std::map<int, double> peak_per_clock;

  ElementFormat checked() const { return checked_operand.value_or(operand); }
};

}  // namespace mansard::kernels::library
