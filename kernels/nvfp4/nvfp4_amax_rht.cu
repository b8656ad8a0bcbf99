// SPDX-License-Identifier: Apache-2.0
// amax(x) and amax(RHT(x^T)) in one reading of x: pass 1 of quantising activations and gradients.
#include "kernels/device/cuda_check.h"
#include "kernels/nvfp4/arithmetic.cuh"
#include "kernels/nvfp4/nvfp4.h"
#include "kernels/nvfp4/operation.h"
#include "kernels/nvfp4/reference.h"

namespace mansard::nvfp4 {
namespace {

constexpr int kThreads = 256;

// A thread takes 16 rows of two neighbouring columns, so that a warp reads 128 B of each row and
// each thread has 16 loads in flight.
__global__ void __launch_bounds__(kThreads)
    nvfp4_amax_rht_kernel(const std::uint32_t* __restrict__ x, std::int64_t pairs_per_row,
                          std::int64_t items, float* out, float* out_rht) {
  const std::int64_t item = std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
  std::uint32_t largest = 0;
  std::uint32_t largest_rht = 0;
  if (item < items) {
    const std::int64_t band = item / pairs_per_row;
    const std::uint32_t* column = x + band * 15 * pairs_per_row + item;
    std::uint32_t words[16];
#pragma unroll
    for (int i = 0; i < 16; ++i) words[i] = column[i * pairs_per_row];
    float low[16], high[16];
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      low[i] = device::low_bf16(words[i]);
      high[i] = device::high_bf16(words[i]);
    }
    const auto both = [&] {
      return max(__float_as_uint(device::max_magnitude(low)),
                 __float_as_uint(device::max_magnitude(high)));
    };
    largest = both();
    device::rht16(low);
    device::rht16(high);
    largest_rht = both();
  }
  device::block_max_to(largest, out);
  device::block_max_to(largest_rht, out_rht);
}

}  // namespace

void amax_rht(const Bf16* x, Shape shape, float* out, float* out_rht, cudaStream_t stream) {
  require_shape("amax of the RHT", shape);
  cuda_check(cudaMemsetAsync(out, 0, sizeof *out, stream), "clear amax");
  cuda_check(cudaMemsetAsync(out_rht, 0, sizeof *out_rht, stream), "clear amax");
  const std::int64_t items = shape.elements() / 32;
  nvfp4_amax_rht_kernel<<<static_cast<unsigned>((items + kThreads - 1) / kThreads), kThreads, 0,
                          stream>>>(reinterpret_cast<const std::uint32_t*>(x), shape.cols / 2,
                                    items, out, out_rht);
  cuda_check(cudaGetLastError(), "launch amax of the RHT");
}

}  // namespace mansard::nvfp4

namespace mansard {

void register_nvfp4_amax_rht(KernelRegistry& registry) {
  using namespace nvfp4;
  add_operation(registry,
                {.name = "nvfp4_amax_rht",
                 .summary = "amax(x) and amax(RHT(x^T)) in one pass (2 B/element)",
                 .traffic_bytes = traffic::amax_rht,
                 .output_bytes =
                     [](Shape) {
                       return std::vector<std::int64_t>{4, 4};
                     },
                 .launch =
                     [](const Inputs& in, const Outputs& out, Shape shape, cudaStream_t stream) {
                       amax_rht(in.x, shape, as_float(out, 0), as_float(out, 1), stream);
                     },
                 .reference =
                     [](const Inputs& in, const Outputs& out, Shape shape) {
                       *as_float(out, 0) = reference::amax(in.x, shape);
                       *as_float(out, 1) = reference::amax_rht_transposed(in.x, shape);
                     }});
}

}  // namespace mansard
