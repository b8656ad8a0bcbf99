// SPDX-License-Identifier: Apache-2.0
// The low-precision extensions that come beside a vector instruction set, or without one.
#pragma once

#include <string>

namespace mansard::kernels {

enum class CpuFeature {
  avx2,
  avx_vnni,
  avx512_vnni,
  avx512_bf16,
  amx_int8,
  amx_bf16,
  neon_dotprod,
  neon_i8mm,
  neon_bf16,
};

// Empty when this CPU has it and the operating system lets this process use it, else why not
// ("needs AVX512_BF16, which this CPU lacks"). Linux allows AMX to a process that asks for it, once
// (Documentation/arch/x86/xstate.rst in its sources); asking about AMX does ask.
std::string feature_missing(CpuFeature feature);

}  // namespace mansard::kernels
