// SPDX-License-Identifier: Apache-2.0
// BF16 to FP8 with one FP32 scale per 128x128 (weights), row-wise and transposed with the same
// codes and scales, from one reading: 2 + 1 + 1 B per element.
#include "kernels/device/cuda_check.h"
#include "kernels/fp8/device/encode_piece.cuh"
#include "kernels/fp8/device/maxima.cuh"
#include "kernels/fp8/dispatch.h"
#include "kernels/fp8/fp8.h"
#include "kernels/fp8/operation_helpers.h"
#include "kernels/fp8/reference.h"

namespace mansard::kernels::fp8 {
namespace {

using namespace device;

// Eight warps stacked vertically, 16 rows each; half of each warp belongs to one block.
constexpr int kRows = 16;
constexpr int kCols = 8;
constexpr int kWarps = kThreads / 32;
static_assert(kTileRows == kBlock && kTileCols == 2 * kBlock);

// Largest magnitude of this thread's block, as FP32 bits.
__device__ __forceinline__ std::uint32_t max_of_block(
    const std::uint32_t (&words)[kRows][kCols / 2]) {
  __shared__ std::uint32_t of_warps[2][kWarps];
  std::uint32_t pair = 0;
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    pair = max3(pair, magnitudes(words[r][0]), magnitudes(words[r][1]));
    pair = max3(pair, magnitudes(words[r][2]), magnitudes(words[r][3]));
  }
  std::uint32_t largest = larger_half(pair);
#pragma unroll
  for (int distance = 8; distance > 0; distance /= 2) {
    largest = max(largest, __shfl_xor_sync(kAllLanes, largest, distance));
  }
  const int side = static_cast<int>(threadIdx.x) % 32 / 16;
  if (threadIdx.x % 16 == 0) of_warps[side][threadIdx.x / 32] = largest;
  __syncthreads();
#pragma unroll
  for (int w = 0; w < kWarps; ++w) largest = max(largest, of_warps[side][w]);
  return largest;
}

// The first thread of each block writes its scale in both directions and, after the last block of a
// row of scales, the padding.
__device__ __forceinline__ void store_scales(const Tile& tile, Shape shape, float inverse,
                                             Blocks out, Blocks out_t) {
  const std::int64_t row = tile.row / kBlock;
  const std::int64_t col = tile.col / kBlock;
  const std::int64_t rows = ceil_div(shape.rows, kBlock);
  const std::int64_t cols = ceil_div(shape.cols, kBlock);
  const std::int64_t stride = scale_stride(cols);
  const std::int64_t stride_t = scale_stride(rows);
  const std::int64_t side = threadIdx.x / 16;
  if (threadIdx.x % 16 == 0 && side < 2 && col + side < cols) {
    out.scales[row * stride + col + side] = inverse;
    float* scales_t = out_t.scales + (col + side) * stride_t;
    scales_t[row] = inverse;
    if (row + 1 == rows) {
      for (std::int64_t i = rows; i < stride_t; ++i) scales_t[i] = 0.0f;
    }
  }
  if (threadIdx.x == 0 && col + 2 >= cols) {
    for (std::int64_t i = cols; i < stride; ++i) out.scales[row * stride + i] = 0.0f;
  }
}

template <Format F, bool kAligned>
__global__ void __launch_bounds__(kThreads, kAligned ? kBlocksPerSm : 1)
    fp8_block_128x128_kernel(const Bf16* __restrict__ x, Shape shape, ScaleRounding rounding,
                             Blocks out, Blocks out_t) {
  __shared__ StagedColumns<kCols> staged;
  const Tile tile = this_tile(shape);
  const int thread = static_cast<int>(threadIdx.x);
  const Piece<kRows, kCols> piece(tile, thread / 32 * kRows, thread % 32 * kCols);
  std::uint32_t words[kRows][kCols / 2];
  load_piece<kAligned>(x, shape, tile, piece, words);
  const TensorScale scale = block_scale<F>(rounding, max_of_block(words));
  store_scales(tile, shape, scale.inverse, out, out_t);
  encode_piece<kAligned>(words, OneScale<F>{scale.scale}, tile, piece, shape, out.codes, staged);
  __syncthreads();
  staged.write(tile, shape, out_t.codes);
}

}  // namespace

void quantize_128x128(Format format, ScaleRounding rounding, const Bf16* x, Shape shape, Blocks out,
                      Blocks out_t, cudaStream_t stream) {
  check_shape("quantize 128x128", shape);
  for_format(format, [&](auto f) {
    const auto kernel = aligned(shape) ? fp8_block_128x128_kernel<f.value, true>
                                       : fp8_block_128x128_kernel<f.value, false>;
    kernel<<<tile_grid(shape), kThreads, 0, stream>>>(x, shape, rounding, out, out_t);
  });
  cuda_check(cudaGetLastError(), "launch quantize 128x128");
}

}  // namespace mansard::kernels::fp8

namespace mansard::kernels {

void register_fp8_block_128x128(KernelRegistry& registry) {
  using namespace fp8;
  nvfp4::add_operation(
      registry,
      {.name = "fp8_block_128x128",
       .summary = "Weight and its transpose, BF16 to FP8 E4M3, one FP32 scale per 128x128 tile "
                  "(4 B/element)",
       .traffic_bytes = traffic::block_128x128,
       .output_bytes =
           [](Shape s) {
             return std::vector<std::int64_t>{s.elements(), scale_bytes_128x128(s), s.elements(),
                                              scale_bytes_128x128(s.transposed())};
           },
       .launch =
           [](const nvfp4::Inputs& in, const nvfp4::Outputs& out, Shape shape,
              cudaStream_t stream) {
             quantize_128x128(Format::e4m3, ScaleRounding::power_of_two, in.x, shape,
                              as_blocks(out, 0), as_blocks(out, 2), stream);
           },
       .reference =
           [](const nvfp4::Inputs& in, const nvfp4::Outputs& out, Shape shape) {
             reference::quantize_128x128(Format::e4m3, ScaleRounding::power_of_two, in.x, shape,
                                         as_blocks(out, 0), as_blocks(out, 2));
           },
       .precision = Precision::fp8_e4m3});
}

}  // namespace mansard::kernels
