// SPDX-License-Identifier: Apache-2.0
// Quantisation of weights: one scale for each 16x16 tile, so that W (for fprop) and W^T (for dgrad)
// hold the same values. One reading, both results: 2 + 2 * (0.5 + 1/16) = 3.125 B an element.
#include "kernels/device/cuda_check.h"
#include "kernels/nvfp4/nvfp4.h"
#include "kernels/nvfp4/operation.h"
#include "kernels/nvfp4/reference.h"
#include "kernels/nvfp4/tile.cuh"

namespace mansard::nvfp4 {
namespace {

using namespace device;

struct TileScales {
  BlockScale at[kTileBands][kTileStrips];
};

// Eight neighbouring threads share one 16x16 piece, two rows each.
constexpr int kThreadsPerPiece = 8;
static_assert(kTileBands * kTileStrips * kThreadsPerPiece == kTileThreads);

__device__ __forceinline__ void compute_scales(const TileWords& tile, TilePlace place,
                                               float tensor_scale, TileScales& scales) {
  const int piece = static_cast<int>(threadIdx.x) / kThreadsPerPiece;
  const int part = static_cast<int>(threadIdx.x) % kThreadsPerPiece;
  const int band = piece / kTileStrips;
  const int strip = piece % kTileStrips;
  const bool inside = band * 16 < place.rows && strip * 16 < place.cols;
  std::uint32_t largest = 0;
  if (inside) {
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      const std::uint32_t word = tile[band * 16 + 2 * part + i / 8][strip * 8 + i % 8];
      largest = max(largest, max(magnitude_bits(low_bf16(word)), magnitude_bits(high_bf16(word))));
    }
  }
  for (int distance = 1; distance < kThreadsPerPiece; distance *= 2) {
    largest = max(largest, __shfl_xor_sync(0xffffffffu, largest, distance));
  }
  if (inside && part == 0) {
    scales.at[band][strip] = block_scale(__uint_as_float(largest), tensor_scale);
  }
  __syncthreads();
}

__device__ __forceinline__ void write_rows(const TileWords& tile, const TileScales& scales,
                                           Shape shape, TilePlace place, Matrix out) {
  const std::int64_t blocks = shape.cols / 16;
  for (int i = static_cast<int>(threadIdx.x); i < kTileRows * kTileStrips; i += kTileThreads) {
    const int row = i / kTileStrips;
    const int strip = i % kTileStrips;
    if (row >= place.rows || strip * 16 >= place.cols) continue;
    const auto* words = reinterpret_cast<const uint4*>(&tile[row][strip * 8]);
    float values[16];
    unpack_block(words[0], words[1], values);
    const BlockScale scale = scales.at[row / 16][strip];
    const std::int64_t block = (place.row + row) * blocks + place.col / 16 + strip;
    reinterpret_cast<uint2*>(out.codes)[block] = encode_block(values, scale.encode);
    out.scales[block] = scale.stored;
  }
}

__global__ void __launch_bounds__(kTileThreads)
    nvfp4_quantize_16x16_kernel(const Bf16* __restrict__ x, Shape shape,
                                const float* __restrict__ amax, Matrix out, Matrix out_t) {
  __shared__ alignas(16) TileWords tile;
  __shared__ StagedColumns staged;
  __shared__ TileScales scales;
  const TilePlace place = tile_place(shape);
  load_tile(x, shape, place, tile);
  compute_scales(tile, place, tensor_encode_scale(*amax), scales);
  write_rows(tile, scales, shape, place, out);

  const int pair = static_cast<int>(threadIdx.x) % kPairs;
  const int band = static_cast<int>(threadIdx.x) / kPairs;
  if (2 * pair < place.cols && band * 16 < place.rows) {
    const BlockScale scale = scales.at[band][pair / 8];
    float columns[2][16];
    load_columns(tile, band, pair, columns[0], columns[1]);
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      staged.put(2 * pair + i, band, encode_block(columns[i], scale.encode), scale.stored);
    }
  }
  __syncthreads();
  staged.write(shape, place, out_t);
}

}  // namespace

void quantize_16x16(const Bf16* x, Shape shape, const float* amax, Matrix out, Matrix out_t,
                    cudaStream_t stream) {
  require_shape("quantise 16x16", shape);
  nvfp4_quantize_16x16_kernel<<<tile_grid(shape), kTileThreads, 0, stream>>>(x, shape, amax, out,
                                                                             out_t);
  cuda_check(cudaGetLastError(), "launch quantise 16x16");
}

}  // namespace mansard::nvfp4

namespace mansard {

void register_nvfp4_quantize_16x16(KernelRegistry& registry) {
  using namespace nvfp4;
  add_operation(
      registry,
      {.name = "nvfp4_quantize_16x16",
       .summary =
           "BF16 to NVFP4 of a weight and its transpose, one scale for 16x16 (3.125 B/element)",
       .traffic_bytes = traffic::quantize_16x16,
       .output_bytes =
           [](Shape s) {
             return std::vector<std::int64_t>{code_bytes(s), scale_bytes(s), code_bytes(s),
                                              scale_bytes(s)};
           },
       .launch =
           [](const Inputs& in, const Outputs& out, Shape shape, cudaStream_t stream) {
             quantize_16x16(in.x, shape, in.amax, as_matrix(out), as_matrix(out, 2), stream);
           },
       .reference =
           [](const Inputs& in, const Outputs& out, Shape shape) {
             reference::quantize_16x16(in.x, shape, *in.amax, as_matrix(out), as_matrix(out, 2));
           }});
}

}  // namespace mansard
