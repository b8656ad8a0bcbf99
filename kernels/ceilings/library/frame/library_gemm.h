// SPDX-License-Identifier: Apache-2.0
// Description of one format's GEMM for a library: all differences between the ceilings in this
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
  // Pattern for verification, if it differs from the timed pattern.
  std::optional<ElementFormat> checked_operand;
  ElementFormat result = ElementFormat::bf16;

  // Block-scaled formats: the scale's format, and the number of elements per scale; 0: none.
  int scale_block = 0;
  ElementFormat scale = ElementFormat::scale_e8m0;

  // FP8 with one scale per tensor, which is 1, and accumulation in the tensor cores.
  bool tensor_scale = false;
  bool fast_accumulation = false;

  // Also tries B as k x n, the GEMM of two row-major matrices. Formats of 8 bits or less have no
  // such kernels.
  bool both_layouts = false;

  // The accumulating instruction: elements along the reduction axis, and fraction bits of the
  // running sum (accumulation_error.h).
  int instruction_k = 16;
  int fraction_bits = kFp32FractionBits;

  // FLOP or op per clock and SM of the tensor cores, by compute capability; empty: unknown.
  std::map<int, double> peak_per_clock;

  ElementFormat checked() const { return checked_operand.value_or(operand); }
};

}  // namespace mansard::kernels::library
