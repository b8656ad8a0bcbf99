// SPDX-License-Identifier: Apache-2.0
// GEMM of BF16 operands on the host: blocked for the caches, packed into FP32 panels, on all cores,
// with the widest vectors of the CPU.
#pragma once

#include <string_view>

#include "kernels/recipes/gemm.h"

namespace mansard::kernels {

void cpu_gemm(const GemmProblem& problem);

// The inner loop of cpu_gemm() on this machine: "AVX-512", "AVX2" or "baseline".
std::string_view cpu_gemm_instruction_set();

}  // namespace mansard::kernels
