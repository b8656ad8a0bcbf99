// SPDX-License-Identifier: Apache-2.0
// Attention kernels of Mansard, for any GPU with BF16 tensor cores. Include only in files that are
// compiled with MANSARD_HAVE_CUDA == 1.
#pragma once

#include <string>

#include <cuda_runtime_api.h>

#include "kernels/training/operation_types.h"

namespace mansard::kernels {

// The reason why these kernels do not support the shape; empty if they do. They need a head size of
// 64 or 128, and heads that are a multiple of kv_heads. The sequence may have any length.
std::string attention_unsupported(const AttentionShape& shape);

// Bytes that AttentionBackward::scratch needs. Its contents need not survive between calls.
std::int64_t attention_scratch_bytes(const AttentionShape& shape);

// Enqueue on the stream; can be captured in a CUDA graph. Matrices must be aligned to 16 bytes.
// Results are deterministic. Throw std::invalid_argument if the shape is not supported, and
// std::runtime_error if a launch fails.
void attention_forward(const AttentionForward& o, cudaStream_t stream);
void attention_backward(const AttentionBackward& o, cudaStream_t stream);

}  // namespace mansard::kernels
