// SPDX-License-Identifier: Apache-2.0
// MoR on the host: the arithmetic of representation.h, which the CUDA kernels must reproduce bit
// for bit, and the CPU implementation of the recipes. No step may be fused or reassociated (see the
// compile options in kernels/CMakeLists.txt). Shapes must have at least one row and one column, or
// std::invalid_argument is thrown.
#pragma once

#include "kernels/formats/bf16.h"
#include "kernels/formats/fp8_format.h"
#include "kernels/mor/representation.h"

namespace mansard::kernels::mor::reference {

// m, for the amax of a tensor.
float group_mantissa(float tensor_amax);

// s and d.
struct BlockScale {
  float encode = 0;
  float decode = 0;
};
BlockScale block_scale(fp8::Format format, float block_amax, float mantissa);

// Chooses a representation for each block, and writes the values of all elements. `tensor_amax` is
// the largest magnitude of x (NaN if any element is NaN). Adds to *counts.
void quantize_blocks(const Bf16* x, Shape shape, float tensor_amax, float threshold, Counts* counts,
                     Bf16* out);

// Chooses one representation for the whole tensor; quantize_tensor() writes its values.
void choose(const Bf16* x, Shape shape, float tensor_amax, float threshold, Counts* counts,
            TensorChoice* choice);
void quantize_tensor(const Bf16* x, Shape shape, float tensor_amax, const TensorChoice& choice,
                     Bf16* out);

}  // namespace mansard::kernels::mor::reference
