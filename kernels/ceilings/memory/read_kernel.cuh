// SPDX-License-Identifier: Apache-2.0
// The kernel of all read-only ceilings: device memory, a peer's memory, or host memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "kernels/device/device_buffer.h"
#include "kernels/device/hashed_array.cuh"
#include "kernels/device/occupancy.h"

namespace mansard::kernels {

enum class LoadHint {
  streaming,         // evict-first in every cache
  past_l1,           // read-only, not kept in L1
  past_l1_prefetch,  // and the L2 prefetches 256 bytes
};

// One variant of the kernel; tuned in a single line.
template <int kThreadsPerBlock, int kLoads, int kResidentBlocks, LoadHint kLoadHint>
struct ReadShape {
  static constexpr int kThreads = kThreadsPerBlock;
  static constexpr int kInFlight = kLoads;              // independent 16-byte loads per thread
  static constexpr int kBlocksPerSm = kResidentBlocks;  // persistent grid; 0: one block per tile
  static constexpr LoadHint kHint = kLoadHint;
  static constexpr std::int64_t kTileBytes = std::int64_t{16} * kThreads * kInFlight;
};

// Words that receive the sums of the blocks, enough to avoid contention of the atomic additions.
inline constexpr int kReadSums = 4096;

// Volatile, so that the compiler neither drops nor merges a load.
template <LoadHint kHint>
__device__ __forceinline__ uint4 load_vector(const uint4* p) {
  uint4 v;
  if constexpr (kHint == LoadHint::streaming) {
    asm volatile("ld.global.cs.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(p));
  } else if constexpr (kHint == LoadHint::past_l1) {
    asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(p));
  } else {
    asm volatile("ld.global.nc.L1::no_allocate.L2::256B.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(p));
  }
  return v;
}

__device__ __forceinline__ unsigned word_sum(const uint4& v) { return v.x + v.y + v.z + v.w; }

// Adds a block's part to the sums, once per warp.
__device__ __forceinline__ void add_to_sums(unsigned* sums, unsigned sum) {
  const unsigned warp_sum = __reduce_add_sync(~0u, sum);
  if (threadIdx.x % 32 == 0) atomicAdd(sums + blockIdx.x % kReadSums, warp_sum);
}

// Every thread block processes whole tiles, each a contiguous piece of the array. The sum of all
// 32-bit words proves that each was loaded.
template <typename Shape>
__global__ void __launch_bounds__(Shape::kThreads)
    read_ceiling(const uint4* data, std::int64_t tiles, unsigned* sums) {
  unsigned sum = 0;
  for (std::int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const uint4* p = data + tile * (Shape::kThreads * Shape::kInFlight) + threadIdx.x;
    uint4 v[Shape::kInFlight];
#pragma unroll
    for (int i = 0; i < Shape::kInFlight; ++i)
      v[i] = load_vector<Shape::kHint>(p + i * Shape::kThreads);
#pragma unroll
    for (int i = 0; i < Shape::kInFlight; ++i) sum += word_sum(v[i]);
  }
  add_to_sums(sums, sum);
}

// Number of thread blocks for `bytes`, on the current device with `units` SMs.
template <typename Shape>
unsigned read_blocks(std::int64_t bytes, int units) {
  const std::int64_t tiles = bytes / Shape::kTileBytes;
  if (Shape::kBlocksPerSm == 0) return static_cast<unsigned>(tiles);
  const int resident = resident_blocks_per_sm(read_ceiling<Shape>, Shape::kThreads);
  const std::int64_t blocks = std::int64_t{units} * std::min(Shape::kBlocksPerSm, resident);
  return static_cast<unsigned>(std::min(blocks, tiles));
}

template <typename Shape>
void enqueue_read(const std::uint32_t* data, std::int64_t bytes, unsigned blocks, unsigned* sums,
                  cudaStream_t stream) {
  read_ceiling<Shape><<<blocks, Shape::kThreads, 0, stream>>>(reinterpret_cast<const uint4*>(data),
                                                              bytes / Shape::kTileBytes, sums);
  cuda_check(cudaGetLastError(), "launch a read ceiling");
}

// Location of the blocks' sums, and their expected total.
class ReadSums {
 public:
  ReadSums() { clear(); }
  unsigned* get() const { return sums_.get(); }
  void clear() { sums_.fill_bytes(0); }
  // For an array of `count` words that hashed::fill() filled with `salt`.
  std::string difference(std::int64_t count, std::uint32_t salt) const {
    unsigned sum = 0;
    for (const unsigned part : sums_.to_host()) sum += part;
    const unsigned expected = hashed::sum(count, salt);
    if (sum == expected) return "";
    return "the sum of all words read is " + std::to_string(sum) + " modulo 2^32, expected " +
           std::to_string(expected);
  }

 private:
  DeviceBuffer<unsigned> sums_{kReadSums};
};

}  // namespace mansard::kernels
