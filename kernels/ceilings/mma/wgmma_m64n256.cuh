// SPDX-License-Identifier: Apache-2.0
// Hopper's warpgroup matrix instruction with its widest tile: 64 x 256 accumulators in the
// registers of 128 threads, the 64 rows of A in registers, B in shared memory, K-major, 128-byte
// swizzle. Source of instruction and descriptor: PTX ISA 8.x, "Asynchronous Warpgroup Level Matrix
// Instructions".
#pragma once

#include <cstdint>

#include "kernels/ceilings/mma/operand_tile.h"
#include "kernels/ceilings/mma/wgmma_fragment.h"

namespace mansard::kernels::wgmma {

// Matrix descriptor of a tile that starts at a multiple of 1024 bytes plus a multiple of
// kTileStepBytes.
__device__ __forceinline__ std::uint64_t descriptor(const void* tile) {
  const auto address = static_cast<std::uint64_t>(__cvta_generic_to_shared(tile));
  constexpr std::uint64_t kGroupStride = 8 * kTileRowBytes;  // from one 8-row group to the next
  constexpr std::uint64_t kSwizzle128 = 1;
  return ((address & 0x3ffff) >> 4) | (std::uint64_t{1} << 16) | ((kGroupStride >> 4) << 32) |
         (kSwizzle128 << 62);
}

__device__ __forceinline__ void fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ __forceinline__ void commit() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
__device__ __forceinline__ void wait_all() {
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}

}  // namespace mansard::kernels::wgmma

// Defines a format's instruction: d += a * b, with d an array of REGISTERS (64 or 128) registers
// with asm constraint CONSTRAINT, a the four registers of a thread and b a descriptor. INSTRUCTION
// names shape and types. FLAGS are the immediates after the operands: accumulate; the signs of a
// and b (not for integers); the transpose of b (16-bit formats only). A macro, because asm takes
// only literals.
#define MANSARD_WGMMA_PRODUCT(REGISTERS, CONSTRAINT, INSTRUCTION, FLAGS)                         \
  static constexpr const char* kInstruction = "wgmma." INSTRUCTION;                              \
  static __device__ __forceinline__ void multiply(Accumulators::Register(&d)[REGISTERS],         \
                                                  const std::uint32_t(&a)[wgmma::kRegistersA],   \
                                                  std::uint64_t b) {                             \
    asm volatile("wgmma.mma_async.sync.aligned." INSTRUCTION " {" MANSARD_WGMMA_LIST_##REGISTERS \
                 "}, " MANSARD_WGMMA_AB_##REGISTERS ", " FLAGS ";"                               \
                 : MANSARD_WGMMA_OPERANDS_##REGISTERS(CONSTRAINT, d, 0)                          \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));                          \
  }

#define MANSARD_WGMMA_OPERANDS_4(C, d, i) C((d)[i]), C((d)[i + 1]), C((d)[i + 2]), C((d)[i + 3])
#define MANSARD_WGMMA_OPERANDS_16(C, d, i)                                  \
  MANSARD_WGMMA_OPERANDS_4(C, d, i), MANSARD_WGMMA_OPERANDS_4(C, d, i + 4), \
      MANSARD_WGMMA_OPERANDS_4(C, d, i + 8), MANSARD_WGMMA_OPERANDS_4(C, d, i + 12)
#define MANSARD_WGMMA_OPERANDS_64(C, d, i)                                     \
  MANSARD_WGMMA_OPERANDS_16(C, d, i), MANSARD_WGMMA_OPERANDS_16(C, d, i + 16), \
      MANSARD_WGMMA_OPERANDS_16(C, d, i + 32), MANSARD_WGMMA_OPERANDS_16(C, d, i + 48)
#define MANSARD_WGMMA_OPERANDS_128(C, d, i) \
  MANSARD_WGMMA_OPERANDS_64(C, d, i), MANSARD_WGMMA_OPERANDS_64(C, d, i + 64)

#define MANSARD_WGMMA_AB_64 "{%64, %65, %66, %67}, %68"
#define MANSARD_WGMMA_AB_128 "{%128, %129, %130, %131}, %132"
#define MANSARD_WGMMA_LIST_64                \
  "%0, %1, %2, %3, %4, %5, %6, %7, "         \
  "%8, %9, %10, %11, %12, %13, %14, %15, "   \
  "%16, %17, %18, %19, %20, %21, %22, %23, " \
  "%24, %25, %26, %27, %28, %29, %30, %31, " \
  "%32, %33, %34, %35, %36, %37, %38, %39, " \
  "%40, %41, %42, %43, %44, %45, %46, %47, " \
  "%48, %49, %50, %51, %52, %53, %54, %55, " \
  "%56, %57, %58, %59, %60, %61, %62, %63"
#define MANSARD_WGMMA_LIST_128                       \
  MANSARD_WGMMA_LIST_64                              \
  ", "                                               \
  "%64, %65, %66, %67, %68, %69, %70, %71, "         \
  "%72, %73, %74, %75, %76, %77, %78, %79, "         \
  "%80, %81, %82, %83, %84, %85, %86, %87, "         \
  "%88, %89, %90, %91, %92, %93, %94, %95, "         \
  "%96, %97, %98, %99, %100, %101, %102, %103, "     \
  "%104, %105, %106, %107, %108, %109, %110, %111, " \
  "%112, %113, %114, %115, %116, %117, %118, %119, " \
  "%120, %121, %122, %123, %124, %125, %126, %127"
