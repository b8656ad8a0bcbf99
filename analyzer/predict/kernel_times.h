// SPDX-License-Identifier: Apache-2.0
// Times of single operations on a machine: GEMMs and attention from measured rates, memory-bound
// kernels from their bytes.
#pragma once

#include "analyzer/predict/assumptions.h"
#include "analyzer/predict/gemm_rates.h"
#include "analyzer/predict/target_machine.h"
#include "kernels/recipes/recipe.h"

namespace mansard::analysis {

class KernelTimes {
 public:
  // Throws std::runtime_error if no measured GPU can represent this one.
  KernelTimes(const TargetMachine& machine, const Assumptions& assumptions);

  // GEMM time without conversions, at the sustained clock, limited by memory bandwidth.
  double gemm_s(kernels::Recipe recipe, const GemmShape& shape) const;
  // GEMM time of a weight gradient, which is accumulated in memory.
  double wgrad_s(kernels::Recipe recipe, const GemmShape& shape) const;
  // Relative, one sigma: error of the interpolation in shape; larger outside the measured shapes
  // and on a GPU without measurements.
  double gemm_error(kernels::Recipe recipe, const GemmShape& shape) const;

  struct Attention {
    double forward_s = 0;
    double backward_s = 0;
  };
  // `flop`: FLOPs of the forward GEMMs (causal half); `sequence`: tokens per sequence.
  Attention attention(double flop, double sequence) const;
  // Relative, one sigma.
  double attention_error() const;

  double elementwise_s(double bytes, int kernels) const;
  // Time to quantize `tensors` tensors with `elements` elements in total.
  double conversion_s(kernels::Recipe recipe, double elements, int tensors) const;

 private:
  const GemmRates& rates_of(kernels::Recipe recipe) const;
  double clocked_s(double flop, double flop_per_s, Precision precision) const;

  const TargetMachine& machine_;
  const Assumptions& assumptions_;
};

// Bytes per element of a GEMM operand of the recipe, also when ranks exchange it.
double operand_bytes(kernels::Recipe recipe);

// Number of kernels that convert one tensor.
int kernels_per_conversion(kernels::Recipe recipe);

}  // namespace mansard::analysis
