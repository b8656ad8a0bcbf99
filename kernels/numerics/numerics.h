// SPDX-License-Identifier: Apache-2.0
// Operand errors on a CUDA device. All pointers are device pointers aligned to 16 bytes.
#pragma once

#include <cuda_runtime_api.h>

#include "kernels/numerics/operand_error.h"

namespace mansard::kernels::numerics {

// *out = the sums of the operand. Two launches on `stream`; returns without synchronizing or
// allocating. `partials` has kPartialSums elements. Counts and the amax equal those of sums_of();
// the FP64 sums are added in another order.
void sum_errors(const OperandError& operand, Sums* partials, Sums* out, cudaStream_t stream);

}  // namespace mansard::kernels::numerics
