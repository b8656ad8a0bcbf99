// SPDX-License-Identifier: Apache-2.0
// Largest magnitude of a BF16 matrix: first pass of quantizing a weight. Reads 2 B per element.
#include <algorithm>

#include "kernels/device/cuda_check.h"
#include "kernels/device/resident_blocks.h"
#include "kernels/nvfp4/device/amax_scratch.cuh"
#include "kernels/nvfp4/device/strip.cuh"
#include "kernels/nvfp4/operation.h"
#include "kernels/nvfp4/reference.h"

namespace mansard::kernels::nvfp4 {
namespace {

constexpr int kThreads = 256;
constexpr int kInFlight = 8;  // independent 16-byte loads per thread
constexpr std::int64_t kElements = kThreads * kInFlight * 8;  // per thread block

__device__ __forceinline__ uint4 load_once(const uint4* p) {
  uint4 v;
  asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
               : "l"(p));
  return v;
}

// A persistent grid: the number of atomic operations on one word is the number of thread blocks.
__global__ void __launch_bounds__(kThreads)
    nvfp4_amax_kernel(const Bf16* __restrict__ x, std::int64_t elements, float* out,
                      AmaxScratch* scratch) {
  std::uint32_t largest = 0;
  const std::int64_t whole = elements / kElements;
  for (std::int64_t tile = blockIdx.x; tile < whole; tile += gridDim.x) {
    const auto* const vectors = reinterpret_cast<const uint4*>(x + tile * kElements) + threadIdx.x;
    uint4 v[kInFlight];
#pragma unroll
    for (int i = 0; i < kInFlight; ++i) v[i] = load_once(vectors + i * kThreads);
#pragma unroll
    for (int i = 0; i < kInFlight; ++i) largest = __vmaxu2(largest, device::max_pairs(v[i]));
  }
  if (blockIdx.x == 0) {
    for (std::int64_t i = whole * kElements + threadIdx.x; i < elements; i += kThreads) {
      largest = device::max_pairs(largest, x[i].bits);
    }
  }
  const std::uint32_t bits[1] = {device::block_max(largest)};
  float* const results[1] = {out};
  if (threadIdx.x == 0) device::grid_max(bits, scratch, results);
}

}  // namespace

void amax(const Bf16* x, Shape shape, float* out, AmaxScratch* scratch, cudaStream_t stream) {
  require_shape("amax", shape);
  const std::int64_t tiles = (shape.elements() + kElements - 1) / kElements;
  const auto blocks = static_cast<unsigned>(
      std::min<std::int64_t>(tiles, resident_blocks(nvfp4_amax_kernel, kThreads, 0)));
  nvfp4_amax_kernel<<<blocks, kThreads, 0, stream>>>(x, shape.elements(), out, scratch);
  cuda_check(cudaGetLastError(), "launch amax");
}

}  // namespace mansard::kernels::nvfp4

namespace mansard::kernels {

void register_nvfp4_amax(KernelRegistry& registry) {
  using namespace nvfp4;
  add_operation(
      registry,
      {.name = "nvfp4_amax",
       .summary = "Largest magnitude (amax) of a BF16 matrix (2 B/element)",
       .traffic_bytes = traffic::amax,
       .output_bytes = [](Shape) { return std::vector<std::int64_t>{4}; },
       .launch =
           [](const Inputs& in, const Outputs& out, Shape shape, cudaStream_t stream) {
             amax(in.x, shape, as_float(out, 0), in.scratch, stream);
           },
       .reference = [](const Inputs& in, const Outputs& out,
                       Shape shape) { *as_float(out, 0) = reference::amax(in.x, shape); }});
}

}  // namespace mansard::kernels
