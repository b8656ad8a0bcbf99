// SPDX-License-Identifier: Apache-2.0
// Streaming loads at the edge of a matrix.
#pragma once

#include <cstdint>

#include "kernels/formats/bf16.h"

namespace mansard::kernels::fp8::device {

// Returns zero unless `inside`. Predicated instead of branching, so that all loads of a thread are
// issued before the first result is used. Nothing is read twice, so L1 need not keep it.
__device__ __forceinline__ void load_if(bool inside, const Bf16* at, std::uint32_t (&words)[2]) {
  words[0] = words[1] = 0;
  asm volatile(
      "{\n"
      ".reg .pred inside;\n"
      "setp.ne.u32 inside, %2, 0;\n"
      "@inside ld.global.nc.L1::no_allocate.v2.u32 {%0, %1}, [%3];\n"
      "}"
      : "+r"(words[0]), "+r"(words[1])
      : "r"(std::uint32_t{inside}), "l"(at));
}
__device__ __forceinline__ void load_if(bool inside, const Bf16* at, std::uint32_t (&words)[4]) {
  words[0] = words[1] = words[2] = words[3] = 0;
  asm volatile(
      "{\n"
      ".reg .pred inside;\n"
      "setp.ne.u32 inside, %4, 0;\n"
      "@inside ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%5];\n"
      "}"
      : "+r"(words[0]), "+r"(words[1]), "+r"(words[2]), "+r"(words[3])
      : "r"(std::uint32_t{inside}), "l"(at));
}

}  // namespace mansard::kernels::fp8::device
