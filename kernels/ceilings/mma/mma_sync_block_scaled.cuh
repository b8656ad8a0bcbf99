// SPDX-License-Identifier: Apache-2.0
// Block-scaled mma.sync of Blackwell GPUs without tensor memory. Compiled by every build with CUDA,
// but not yet run on such a GPU.
#pragma once

#include "kernels/ceilings/mma/mma_sync_ceiling.cuh"

// Like MANSARD_MMA_SYNC_PRODUCT, with block scales: d += (scales_a . a) * (scales_b . b). The byte
// and thread selectors (0, 0) take the scales from the low end of the register and from the lanes
// given in mma_fragment.h.
#define MANSARD_MMA_SYNC_SCALED_PRODUCT(KIND, K, TYPES)                                \
  static constexpr const char* kInstruction = "mma.sync." KIND ".m16n8k" #K "." TYPES; \
  static constexpr int kM = 16;                                                        \
  static constexpr int kK = K;                                                         \
  static __device__ __forceinline__ void multiply(                                     \
      float(&d)[4], const std::uint32_t(&a)[4], const std::uint32_t(&b)[2],            \
      std::uint32_t scales_a, std::uint32_t scales_b) {                                \
    asm volatile("mma.sync.aligned." KIND ".m16n8k" #K ".row.col." TYPES               \
                 " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3}, "   \
                 "{%10}, {%12, %12}, {%11}, {%12, %12};"                               \
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                      \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]),   \
                   "r"(scales_a), "r"(scales_b), "h"(std::uint16_t{0}));               \
  }

namespace mansard::kernels::mma_sync {

template <typename Format>
KernelSpec block_scaled_spec(std::string name, const std::string& what, double peak_per_clock) {
  return mma_sync_spec<Format>(
      std::move(name), what + " via block-scaled mma.sync, operands in registers (untested)",
      needs_exactly(120, "block-scaled mma.sync"), {{120, peak_per_clock}});
}

}  // namespace mansard::kernels::mma_sync
