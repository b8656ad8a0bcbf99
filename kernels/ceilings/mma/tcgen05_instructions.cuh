// SPDX-License-Identifier: Apache-2.0
// The tcgen05 instructions of the ceilings, one function each. Addresses are 32-bit addresses of
// shared or tensor memory. Source: PTX ISA 8.7, "TensorCore 5th Generation Family Instructions".
#pragma once

#include <cstdint>

namespace mansard::kernels::tcgen05 {

__device__ __forceinline__ std::uint32_t shared_address(const void* pointer) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
}

// Executed by one whole warp; the address is stored to `result` in shared memory.
template <int kColumns>
__device__ __forceinline__ void allocate(std::uint32_t result) {
  static_assert(kColumns >= 32 && kColumns <= 512 && (kColumns & (kColumns - 1)) == 0);
  asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], %1;" ::"r"(result),
               "n"(kColumns)
               : "memory");
  asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;");
}

template <int kColumns>
__device__ __forceinline__ void release(std::uint32_t address) {
  asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, %1;" ::"r"(address),
               "n"(kColumns));
}

__device__ __forceinline__ void fence_before_barrier() {
  asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
}
__device__ __forceinline__ void fence_after_barrier() {
  asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
}

// Copies 32 lanes of 16 bytes to 4 columns, replicated for all four groups of 32 lanes. Ordered
// before later products of the same thread.
__device__ __forceinline__ void copy_scales(std::uint32_t to, std::uint64_t from) {
  asm volatile("tcgen05.cp.cta_group::1.32x128b.warpx4 [%0], %1;" ::"r"(to), "l"(from) : "memory");
}

// `barrier` completes a phase when all previous products of this thread are done.
__device__ __forceinline__ void commit(std::uint32_t barrier) {
  asm volatile(
      "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(barrier)
      : "memory");
}

__device__ __forceinline__ void initialize_barrier(std::uint32_t barrier) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier) : "memory");
}

__device__ __forceinline__ void wait_first_phase(std::uint32_t barrier) {
  asm volatile(
      "{ .reg .pred p;"
      "WAIT: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0;"
      "  @!p bra WAIT; }"
      :
      : "r"(barrier)
      : "memory");
}

// Loads one column of the 32 lanes of a warp.
__device__ __forceinline__ std::uint32_t load(std::uint32_t address) {
  std::uint32_t bits = 0;
  asm volatile("tcgen05.ld.sync.aligned.32x32b.x1.b32 {%0}, [%1];" : "=r"(bits) : "r"(address));
  asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory");
  return bits;
}

}  // namespace mansard::kernels::tcgen05

// Defines a format's instruction: d = a * b, or d += a * b if `accumulate` is not 0. KIND is a
// literal, as asm requires. K: depth of the instruction's shape.
#define MANSARD_TCGEN05_PRODUCT(KIND, K)                                                     \
  static constexpr const char* kInstruction =                                                \
      "tcgen05.mma.cta_group::1.kind::" KIND " m128n256k" #K;                                \
  static __device__ __forceinline__ void multiply(std::uint32_t d, std::uint64_t a,          \
                                                  std::uint64_t b, std::uint32_t descriptor, \
                                                  std::uint32_t accumulate) {                \
    asm volatile(                                                                            \
        "{ .reg .pred p; setp.ne.u32 p, %4, 0;"                                              \
        "  tcgen05.mma.cta_group::1.kind::" KIND " [%0], %1, %2, %3, p; }"                   \
        :                                                                                    \
        : "r"(d), "l"(a), "l"(b), "r"(descriptor), "r"(accumulate)                           \
        : "memory");                                                                         \
  }

// Like above, with scales of A and B in tensor memory; KIND includes the scale vector size.
#define MANSARD_TCGEN05_SCALED_PRODUCT(KIND, K)                                                  \
  static constexpr const char* kInstruction =                                                    \
      "tcgen05.mma.cta_group::1.kind::" KIND " m128n256k" #K;                                    \
  static __device__ __forceinline__ void multiply(                                               \
      std::uint32_t d, std::uint64_t a, std::uint64_t b, std::uint32_t descriptor,               \
      std::uint32_t scales_a, std::uint32_t scales_b, std::uint32_t accumulate) {                \
    asm volatile(                                                                                \
        "{ .reg .pred p; setp.ne.u32 p, %6, 0;"                                                  \
        "  tcgen05.mma.cta_group::1.kind::" KIND " [%0], %1, %2, %3, [%4], [%5], p; }"           \
        :                                                                                        \
        : "r"(d), "l"(a), "l"(b), "r"(descriptor), "r"(scales_a), "r"(scales_b), "r"(accumulate) \
        : "memory");                                                                             \
  }
