// SPDX-License-Identifier: Apache-2.0
// FP8 codes to BF16 values.
#pragma once

#include <cstdint>

#include <cuda_bf16.h>
#include <cuda_fp8.h>

#include "kernels/fp8/layout.h"

namespace mansard::kernels::fp8::device {

// BF16(value * scale) of the two codes in the low 16 bits.
template <Format F>
__device__ __forceinline__ std::uint32_t decode_pair(std::uint32_t codes, float scale) {
  const __half2_raw halves =
      __nv_cvt_fp8x2_to_halfraw2(static_cast<__nv_fp8x2_storage_t>(codes & 0xffffu),
                                 F == Format::e4m3 ? __NV_E4M3 : __NV_E5M2);
  const float low = __fmul_rn(__half2float(__half(__half_raw{halves.x})), scale);
  const float high = __fmul_rn(__half2float(__half(__half_raw{halves.y})), scale);
  return std::uint32_t{__bfloat16_as_ushort(__float2bfloat16_rn(low))} |
         std::uint32_t{__bfloat16_as_ushort(__float2bfloat16_rn(high))} << 16;
}

}  // namespace mansard::kernels::fp8::device
