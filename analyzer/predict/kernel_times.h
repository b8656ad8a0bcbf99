// SPDX-License-Identifier: Apache-2.0
// How long single operations take on a machine: GEMMs and attention from measured rates, everything
// that streams from its bytes.
#pragma once

#include "analyzer/predict/assumptions.h"
#include "analyzer/predict/gemm_rates.h"
#include "analyzer/predict/target_machine.h"
#include "kernels/recipes/recipe.h"

namespace mansard::analysis {

class KernelTimes {
 public:
  // Throws std::runtime_error where no GPU was measured that could stand for this one.
  KernelTimes(const TargetMachine& machine, const Assumptions& assumptions);

  // Without conversions, at the clock that a long run holds, and no faster than memory allows.
  double gemm_s(kernels::Recipe recipe, const GemmShape& shape) const;
  // One of weight gradients, which adds to those in memory.
  double wgrad_s(kernels::Recipe recipe, const GemmShape& shape) const;
  // Relative, one sigma: what interpolation in shape costs, more beyond the measured shapes and on
  // a GPU that was not measured.
  double gemm_error(kernels::Recipe recipe, const GemmShape& shape) const;

  struct Attention {
    double forward_s = 0;
    double backward_s = 0;
  };
  // `flop` of the forward products (the causal half), in pieces of `sequence` tokens.
  Attention attention(double flop, double sequence) const;
  // Relative, one sigma.
  double attention_error() const;

  double elementwise_s(double bytes, int kernels) const;
  // Quantizing `elements` of `tensors` tensors.
  double conversion_s(kernels::Recipe recipe, double elements, int tensors) const;

 private:
  const GemmRates& rates_of(kernels::Recipe recipe) const;
  double clocked_s(double flop, double flop_per_s, Precision precision) const;

  const TargetMachine& machine_;
  const Assumptions& assumptions_;
};

// The bytes of an element of an operand that a recipe multiplies, and that ranks exchange.
double operand_bytes(kernels::Recipe recipe);

// Kernels that convert one tensor.
int kernels_per_conversion(kernels::Recipe recipe);

}  // namespace mansard::analysis
