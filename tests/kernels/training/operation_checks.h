// SPDX-License-Identifier: Apache-2.0
// Compares the operations of a backend with FP64: results with formulas written here, gradients
// with central differences of these formulas. Failures are GoogleTest failures.
#pragma once

#include "kernels/recipes/backend.h"
#include "kernels/training/operations.h"

namespace mansard::kernels {

void check_embedding(Backend& backend, bool positions);
void check_norm(Backend& backend, Norm kind, std::int64_t cols);
void check_rope(Backend& backend);
void check_attention(Backend& backend, const AttentionShape& shape,
                     const OperationOptions& options = {});
void check_swiglu(Backend& backend);
void check_gelu(Backend& backend);
void check_amax(Backend& backend);
void check_bias(Backend& backend);
void check_cross_entropy(Backend& backend, std::int64_t vocabulary, std::int64_t cols);
void check_sum(Backend& backend, std::int64_t count);
void check_adamw(Backend& backend);
void check_replica_operations(Backend& backend);

}  // namespace mansard::kernels
