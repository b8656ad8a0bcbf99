// SPDX-License-Identifier: Apache-2.0
// Operand values of a GEMM as numbers on the host.
#pragma once

#include <vector>

#include "kernels/recipes/backend.h"

namespace mansard::kernels {

// Row `row` of a rows x k operand, exact: codes times the factors of their blocks, without the
// factor of a whole tensor.
std::vector<double> read_operand_row(const GemmOperand& operand, std::int64_t rows, std::int64_t k,
                                     std::int64_t row, Backend& backend);

// The factor of the sums: alpha and the factors of whole tensors. FP8 tensor cores take two
// factors; a GEMM of expanded codes takes their FP32 product.
float read_gemm_factor(const GemmProblem& problem, Backend& backend);

}  // namespace mansard::kernels
