// SPDX-License-Identifier: Apache-2.0
// Accesses an operation's outputs as the types of FP8 results.
#pragma once

#include "kernels/fp8/layout.h"
#include "kernels/nvfp4/operation.h"

namespace mansard::kernels::fp8 {

inline TensorScale* as_scale(const nvfp4::Outputs& outputs, std::size_t i) {
  return reinterpret_cast<TensorScale*>(outputs[i]);
}
inline Blocks as_blocks(const nvfp4::Outputs& outputs, std::size_t first) {
  return {outputs[first], reinterpret_cast<float*>(outputs[first + 1])};
}
inline MxBlocks as_mx_blocks(const nvfp4::Outputs& outputs, std::size_t first) {
  return {outputs[first], outputs[first + 1]};
}

}  // namespace mansard::kernels::fp8
