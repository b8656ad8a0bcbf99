// SPDX-License-Identifier: Apache-2.0
// MoR on a CUDA device, as defined in representation.h. All pointers are device pointers aligned to
// 16 bytes. Matrices are row-major without padding and may have any shape of at least 1x1. Each
// call is one launch on `stream`, and returns without synchronizing or allocating. Results equal
// kernels/mor/reference.h bit for bit on every architecture.
#pragma once

#include <cuda_runtime_api.h>

#include "kernels/formats/bf16.h"
#include "kernels/mor/representation.h"

namespace mansard::kernels::mor {

// Chooses a representation for each 128x128 block, and writes the values of all elements.
// `tensor_amax` is the largest magnitude of x (NaN if any element is NaN). Adds to *counts.
void quantize_blocks(const Bf16* x, Shape shape, const float* tensor_amax, float threshold,
                     Counts* counts, Bf16* out, cudaStream_t stream);

// Chooses one representation for the whole tensor; quantize_tensor() writes its values. Launches
// that may run concurrently need separate choices.
void choose(const Bf16* x, Shape shape, const float* tensor_amax, float threshold, Counts* counts,
            TensorChoice* choice, cudaStream_t stream);
void quantize_tensor(const Bf16* x, Shape shape, const float* tensor_amax,
                     const TensorChoice* choice, Bf16* out, cudaStream_t stream);

}  // namespace mansard::kernels::mor
