// SPDX-License-Identifier: Apache-2.0
// The product of BF16 operands on the host: blocked for the caches, packed to FP32 panels, on all
// cores, with the widest vectors this CPU has.
#pragma once

#include <string_view>

#include "kernels/recipes/gemm.h"

namespace mansard::kernels {

void cpu_gemm(const GemmProblem& problem);

// "AVX-512", "AVX2" or "baseline": which inner loop cpu_gemm() runs on this machine.
std::string_view cpu_gemm_instruction_set();

}  // namespace mansard::kernels
