// SPDX-License-Identifier: Apache-2.0
// The bulk-copy engine of CC 9.0 and later: one thread issues copies of thousands of bytes between
// device memory and shared memory (PTX ISA, "cp.async.bulk"). Loads signal a barrier in shared
// memory by the number of bytes that arrived; stores are waited for in the order of their groups.
#pragma once

#include <cstdint>

namespace mansard::kernels::bulk {

using Barrier = std::uint64_t;

__device__ __forceinline__ unsigned shared_address(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

// Called by one thread. Initializes barriers that complete a phase after one arrival and its bytes.
template <int kCount>
__device__ __forceinline__ void init(Barrier (&barriers)[kCount]) {
#pragma unroll
  for (int i = 0; i < kCount; ++i) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&barriers[i]))
                 : "memory");
  }
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");  // then visible to the engine
}

// Cache policy for data used once: the L2 evicts their lines first.
__device__ __forceinline__ std::uint64_t evict_first() {
  std::uint64_t policy;
  asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
  return policy;
}

__device__ __forceinline__ void load(void* to, const void* from, int bytes, Barrier& full,
                                     std::uint64_t policy) {
  asm volatile(
      "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&full)),
      "r"(bytes)
      : "memory");
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], "
      "[%1], %2, [%3], %4;" ::"r"(shared_address(to)),
      "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(shared_address(&full)), "l"(policy)
      : "memory");
}

// Waits until the phase of `parity` (0 at first, then alternating) is complete.
__device__ __forceinline__ void wait(Barrier& full, unsigned parity) {
  unsigned done = 0;
  while (done == 0) {
    asm volatile(
        "{\n"
        ".reg .pred p;\n"
        "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
        "selp.u32 %0, 1, 0, p;\n"
        "}"
        : "=r"(done)
        : "r"(shared_address(&full)), "r"(parity)
        : "memory");
  }
}

// Each store is its own group.
__device__ __forceinline__ void store(void* to, const void* from, int bytes, std::uint64_t policy) {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  asm volatile(
      "cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [%0], [%1], %2, %3;" ::"l"(
          __cvta_generic_to_global(to)),
      "r"(shared_address(from)), "r"(bytes), "l"(policy)
      : "memory");
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

// Waits until all but the last `kPending` stores have been read from shared memory.
template <int kPending>
__device__ __forceinline__ void wait_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(kPending) : "memory");
}

// Waits until every store has arrived.
__device__ __forceinline__ void wait_stored() {
  asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

// The pieces of an array that one block processes (its index, then every gridDim.x-th), and the
// stages of a shared-memory ring that they use in turn.
template <int kStages>
class Turn {
 public:
  __device__ __forceinline__ void advance() {
    if (++stage_ == kStages) {
      stage_ = 0;
      parity_ ^= 1u;
    }
  }
  __device__ __forceinline__ int stage() const { return stage_; }
  __device__ __forceinline__ unsigned parity() const { return parity_; }

 private:
  int stage_ = 0;
  unsigned parity_ = 0;
};

__device__ __forceinline__ int pieces_of_block(int pieces) {
  return (pieces - static_cast<int>(blockIdx.x) + static_cast<int>(gridDim.x) - 1) /
         static_cast<int>(gridDim.x);
}

}  // namespace mansard::kernels::bulk
