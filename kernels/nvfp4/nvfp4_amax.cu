// SPDX-License-Identifier: Apache-2.0
// The largest magnitude of a BF16 matrix: pass 1 of quantising a weight. Reads 2 B an element.
#include <algorithm>

#include "kernels/device/cuda_check.h"
#include "kernels/nvfp4/arithmetic.cuh"
#include "kernels/nvfp4/nvfp4.h"
#include "kernels/nvfp4/operation.h"
#include "kernels/nvfp4/reference.h"

namespace mansard::nvfp4 {
namespace {

constexpr int kThreads = 256;
constexpr int kInFlight = 4;  // independent 16-byte loads of a thread

// Two BF16 magnitudes a word, compared as 16-bit integers.
__device__ __forceinline__ std::uint32_t max_pairs(std::uint32_t largest, uint4 v) {
  constexpr std::uint32_t kMagnitudes = 0x7fff7fffu;
  largest = __vmaxu2(largest, v.x & kMagnitudes);
  largest = __vmaxu2(largest, v.y & kMagnitudes);
  largest = __vmaxu2(largest, v.z & kMagnitudes);
  return __vmaxu2(largest, v.w & kMagnitudes);
}

__global__ void __launch_bounds__(kThreads)
    nvfp4_amax_kernel(const uint4* __restrict__ x, std::int64_t vectors, float* out) {
  const std::int64_t first = std::int64_t{blockIdx.x} * kThreads * kInFlight + threadIdx.x;
  uint4 v[kInFlight];
#pragma unroll
  for (int i = 0; i < kInFlight; ++i) {
    const std::int64_t at = first + i * kThreads;
    v[i] = at < vectors ? x[at] : uint4{0, 0, 0, 0};
  }
  std::uint32_t largest = 0;
#pragma unroll
  for (int i = 0; i < kInFlight; ++i) largest = max_pairs(largest, v[i]);
  // The larger half, as the bits of the FP32 of the same value.
  device::block_max_to(max(largest << 16, largest & 0xffff0000u), out);
}

}  // namespace

void amax(const Bf16* x, Shape shape, float* out, cudaStream_t stream) {
  require_shape("amax", shape);
  cuda_check(cudaMemsetAsync(out, 0, sizeof *out, stream), "clear amax");
  const std::int64_t vectors = shape.elements() / 8;
  const std::int64_t per_block = kThreads * kInFlight;
  nvfp4_amax_kernel<<<static_cast<unsigned>((vectors + per_block - 1) / per_block), kThreads, 0,
                      stream>>>(reinterpret_cast<const uint4*>(x), vectors, out);
  cuda_check(cudaGetLastError(), "launch amax");
}

}  // namespace mansard::nvfp4

namespace mansard {

void register_nvfp4_amax(KernelRegistry& registry) {
  using namespace nvfp4;
  add_operation(
      registry,
      {.name = "nvfp4_amax",
       .summary = "Largest magnitude of a BF16 matrix (2 B/element)",
       .traffic_bytes = traffic::amax,
       .output_bytes = [](Shape) { return std::vector<std::int64_t>{4}; },
       .launch = [](const Inputs& in, const Outputs& out, Shape shape,
                    cudaStream_t stream) { amax(in.x, shape, as_float(out, 0), stream); },
       .reference = [](const Inputs& in, const Outputs& out,
                       Shape shape) { *as_float(out, 0) = reference::amax(in.x, shape); }});
}

}  // namespace mansard
