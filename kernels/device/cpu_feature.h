// SPDX-License-Identifier: Apache-2.0
// Low-precision CPU extensions, in addition to or independent of a vector instruction set.
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

// Returns an empty string if this CPU has the feature and the operating system lets this process
// use it, otherwise the reason ("needs AVX512_BF16, which this CPU lacks"). Linux requires a
// process to request AMX once (Documentation/arch/x86/xstate.rst in its sources); querying AMX
// makes the request.
std::string feature_missing(CpuFeature feature);

}  // namespace mansard::kernels
