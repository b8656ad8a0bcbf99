// SPDX-License-Identifier: Apache-2.0
// Row-wise quantisation of activations and gradients: one E4M3 scale for each 16 elements of a row.
// Moves 2 + 0.5 + 1/16 = 2.5625 B an element.
#include "kernels/device/cuda_check.h"
#include "kernels/nvfp4/arithmetic.cuh"
#include "kernels/nvfp4/nvfp4.h"
#include "kernels/nvfp4/operation.h"
#include "kernels/nvfp4/reference.h"

namespace mansard::nvfp4 {
namespace {

constexpr int kThreads = 256;

// A thread takes one block. Rows are whole blocks, so blocks are numbered across rows.
__global__ void __launch_bounds__(kThreads)
    nvfp4_quantize_1x16_kernel(const uint4* __restrict__ x, std::int64_t blocks,
                               const float* __restrict__ amax, uint2* __restrict__ codes,
                               std::uint8_t* __restrict__ scales) {
  const std::int64_t block = std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (block >= blocks) return;
  float values[16];
  device::unpack_block(x[2 * block], x[2 * block + 1], values);
  const device::BlockScale scale =
      device::block_scale(device::max_magnitude(values), device::tensor_encode_scale(*amax));
  codes[block] = device::encode_block(values, scale.encode);
  scales[block] = scale.stored;
}

}  // namespace

void quantize_1x16(const Bf16* x, Shape shape, const float* amax, Matrix out, cudaStream_t stream) {
  require_shape("quantise 1x16", shape);
  const std::int64_t blocks = shape.elements() / 16;
  nvfp4_quantize_1x16_kernel<<<static_cast<unsigned>((blocks + kThreads - 1) / kThreads), kThreads,
                               0, stream>>>(reinterpret_cast<const uint4*>(x), blocks, amax,
                                            reinterpret_cast<uint2*>(out.codes), out.scales);
  cuda_check(cudaGetLastError(), "launch quantise 1x16");
}

}  // namespace mansard::nvfp4

namespace mansard {

void register_nvfp4_quantize_1x16(KernelRegistry& registry) {
  using namespace nvfp4;
  add_operation(registry,
                {.name = "nvfp4_quantize_1x16",
                 .summary = "BF16 to NVFP4, one scale for 1x16 of a row (2.5625 B/element)",
                 .traffic_bytes = traffic::quantize,
                 .output_bytes = matrix_output_bytes,
                 .launch =
                     [](const Inputs& in, const Outputs& out, Shape shape, cudaStream_t stream) {
                       quantize_1x16(in.x, shape, in.amax, as_matrix(out), stream);
                     },
                 .reference =
                     [](const Inputs& in, const Outputs& out, Shape shape) {
                       reference::quantize_1x16(in.x, shape, *in.amax, as_matrix(out));
                     }});
}

}  // namespace mansard
