// SPDX-License-Identifier: Apache-2.0
// Arguments of all NVFP4 quantization kernels.
#pragma once

#include "kernels/formats/bf16.h"
#include "kernels/nvfp4/layout.h"
#include "kernels/nvfp4/stochastic.h"

namespace mansard::kernels::nvfp4 {

template <typename T>
struct QuantizeArgumentsOf {
  const T* x = nullptr;
  Shape shape;
  const float* amax = nullptr;    // of x
  const float* amax_t = nullptr;  // of x^T as quantized, after the transform
  Matrix out;                     // of x
  Matrix out_t;                   // of x^T
  const RandomState* random = nullptr;
  ScaleLayout layout = ScaleLayout::linear;
};
using QuantizeArguments = QuantizeArgumentsOf<Bf16>;

}  // namespace mansard::kernels::nvfp4
