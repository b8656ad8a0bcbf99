// SPDX-License-Identifier: Apache-2.0
// Column-wise quantisation: x^T in blocks of 16 along x's rows, with the random Hadamard transform
// for the operands of wgrad. The transformed matrix is never stored. 2.5625 B an element.
#include "kernels/device/cuda_check.h"
#include "kernels/nvfp4/nvfp4.h"
#include "kernels/nvfp4/operation.h"
#include "kernels/nvfp4/reference.h"
#include "kernels/nvfp4/tile.cuh"

namespace mansard::nvfp4 {
namespace {

template <Transform kTransform>
__global__ void __launch_bounds__(device::kTileThreads)
    nvfp4_quantize_transposed_kernel(const Bf16* __restrict__ x, Shape shape,
                                     const float* __restrict__ amax, Matrix out) {
  using namespace device;
  __shared__ alignas(16) TileWords tile;
  __shared__ StagedColumns staged;
  const TilePlace place = tile_place(shape);
  load_tile(x, shape, place, tile);

  const int pair = static_cast<int>(threadIdx.x) % kPairs;
  const int band = static_cast<int>(threadIdx.x) / kPairs;
  if (2 * pair < place.cols && band * 16 < place.rows) {
    const float tensor_scale = tensor_encode_scale(*amax);
    float columns[2][16];
    load_columns(tile, band, pair, columns[0], columns[1]);
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      if (kTransform == Transform::rht) rht16(columns[i]);
      const BlockScale scale = block_scale(max_magnitude(columns[i]), tensor_scale);
      staged.put(2 * pair + i, band, encode_block(columns[i], scale.encode), scale.stored);
    }
  }
  __syncthreads();
  staged.write(shape, place, out);
}

}  // namespace

void quantize_transposed(const Bf16* x, Shape shape, const float* amax, Transform transform,
                         Matrix out, cudaStream_t stream) {
  require_shape("transposed quantise", shape);
  const auto kernel = transform == Transform::rht
                          ? nvfp4_quantize_transposed_kernel<Transform::rht>
                          : nvfp4_quantize_transposed_kernel<Transform::none>;
  kernel<<<device::tile_grid(shape), device::kTileThreads, 0, stream>>>(x, shape, amax, out);
  cuda_check(cudaGetLastError(), "launch transposed quantise");
}

}  // namespace mansard::nvfp4

namespace mansard {

void register_nvfp4_quantize_transposed(KernelRegistry& registry) {
  using namespace nvfp4;
  OperationDefinition plain = {
      .name = "nvfp4_quantize_transposed",
      .summary = "BF16 to NVFP4 of the transpose (2.5625 B/element)",
      .traffic_bytes = traffic::quantize,
      .output_bytes = matrix_output_bytes,
      .launch =
          [](const Inputs& in, const Outputs& out, Shape shape, cudaStream_t stream) {
            quantize_transposed(in.x, shape, in.amax, Transform::none, as_matrix(out), stream);
          },
      .reference =
          [](const Inputs& in, const Outputs& out, Shape shape) {
            reference::quantize_transposed(in.x, shape, *in.amax, Transform::none, as_matrix(out));
          }};
  add_operation(registry, plain);

  OperationDefinition rht = plain;
  rht.name = "nvfp4_quantize_transposed_rht";
  rht.summary = "BF16 to NVFP4 of the transpose after the Hadamard transform (2.5625 B/element)";
  rht.launch = [](const Inputs& in, const Outputs& out, Shape shape, cudaStream_t stream) {
    quantize_transposed(in.x, shape, in.amax_rht, Transform::rht, as_matrix(out), stream);
  };
  rht.reference = [](const Inputs& in, const Outputs& out, Shape shape) {
    reference::quantize_transposed(in.x, shape, *in.amax_rht, Transform::rht, as_matrix(out));
  };
  add_operation(registry, rht);
}

}  // namespace mansard
