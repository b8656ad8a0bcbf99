// SPDX-License-Identifier: Apache-2.0
// BF16 to FP8 with one FP32 scale per 1x128 of x and of x^T (activations and gradients), from one
// reading: 2 + 2 * (1 + 4/128) = 4.0625 B per element.
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

// Eight warps stacked vertically, 16 rows each. A block along a row is half a warp; a block along a
// column spans all warps.
constexpr int kRows = 16;
constexpr int kCols = 8;
constexpr int kWarps = kThreads / 32;
static_assert(kTileRows == kBlock && kTileCols == 2 * kBlock && kThreads == kTileCols);

struct Columns {
  union {
    uint4 maxima[kWarps][32];  // BF16 magnitudes of each warp's 16 rows, by column
    std::uint16_t maximum[kWarps][kTileCols];
  };
  float4 scales[kTileCols / 4];
};

// Largest magnitudes of rows 2k and 2k + 1 in word k over this thread's eight columns, and those of
// its columns over its 16 rows.
__device__ __forceinline__ void maxima_of_piece(const std::uint32_t (&words)[kRows][kCols / 2],
                                                std::uint32_t (&of_rows)[kRows / 2],
                                                std::uint32_t (&of_columns)[kCols / 2]) {
#pragma unroll
  for (std::uint32_t& word : of_columns) word = 0;
#pragma unroll
  for (int k = 0; k < kRows / 2; ++k) {
    std::uint32_t a[kCols / 2], b[kCols / 2];
#pragma unroll
    for (int i = 0; i < kCols / 2; ++i) {
      a[i] = magnitudes(words[2 * k][i]);
      b[i] = magnitudes(words[2 * k + 1][i]);
      of_columns[i] = max3(of_columns[i], a[i], b[i]);
    }
    of_rows[k] = pack_larger_halves(__vmaxu2(max3(a[0], a[1], a[2]), a[3]),
                                    __vmaxu2(max3(b[0], b[1], b[2]), b[3]));
  }
}

// Lane l of each half warp holds the scale of row l.
struct ScalesOfHalfWarp {
  float own;
  __device__ __forceinline__ void operator()(int group, float (&scales)[4]) const {
#pragma unroll
    for (int i = 0; i < 4; ++i) scales[i] = __shfl_sync(kAllLanes, own, 4 * group + i, 16);
  }
};

template <Format F, bool kAligned>
__global__ void __launch_bounds__(kThreads, kAligned ? kBlocksPerSm : 1)
    fp8_block_1x128_kernel(const Bf16* __restrict__ x, Shape shape, ScaleRounding rounding,
                           Blocks out, Blocks out_t) {
  __shared__ StagedColumns<kCols> staged;
  __shared__ Columns columns;
  const Tile tile = this_tile(shape);
  const int thread = static_cast<int>(threadIdx.x);
  const int lane = thread % 32;
  const int warp = thread / 32;
  const Piece<kRows, kCols> piece(tile, warp * kRows, lane * kCols);
  std::uint32_t words[kRows][kCols / 2];
  load_piece<kAligned>(x, shape, tile, piece, words);

  std::uint32_t of_rows[kRows / 2], of_columns[kCols / 2];
  maxima_of_piece(words, of_rows, of_columns);
  columns.maxima[warp][lane] = {of_columns[0], of_columns[1], of_columns[2], of_columns[3]};
  distribute_maxima<kRows / 2, 8>(of_rows);
  const std::uint32_t of_row = lane % 2 == 0 ? of_rows[0] << 16 : of_rows[0] & 0xffff0000u;
  const TensorScale row_scale = block_scale<F>(rounding, of_row);
  {
    const std::int64_t row = tile.row + piece.row + lane % 16;
    const std::int64_t stride = scale_stride(shape.rows);
    if (lane / 16 * kBlock < tile.cols && row < stride) {
      const std::int64_t block = tile.col / kBlock + lane / 16;
      out.scales[block * stride + row] = row < shape.rows ? row_scale.inverse : 0.0f;
    }
  }
  __syncthreads();

  // One column per thread.
  std::uint32_t of_column = 0;
#pragma unroll
  for (int w = 0; w < kWarps; ++w) {
    of_column = max(of_column, std::uint32_t{columns.maximum[w][thread]});
  }
  const TensorScale column_scale = block_scale<F>(rounding, of_column << 16);
  reinterpret_cast<float*>(columns.scales)[thread] = column_scale.scale;
  {
    const std::int64_t col = tile.col + thread;
    const std::int64_t stride = scale_stride(shape.cols);
    if (col < stride) {
      out_t.scales[tile.row / kBlock * stride + col] =
          col < shape.cols ? column_scale.inverse : 0.0f;
    }
  }
  __syncthreads();

  const float4 left = columns.scales[2 * lane];
  const float4 right = columns.scales[2 * lane + 1];
  const TwoScales<F, kCols, ScalesOfHalfWarp> encoder{
      {row_scale.scale}, {left.x, left.y, left.z, left.w, right.x, right.y, right.z, right.w}};
  encode_piece<kAligned>(words, encoder, tile, piece, shape, out.codes, staged);
  __syncthreads();
  staged.write(tile, shape, out_t.codes);
}

}  // namespace

void quantize_1x128(Format format, ScaleRounding rounding, const Bf16* x, Shape shape, Blocks out,
                    Blocks out_t, cudaStream_t stream) {
  check_shape("quantize 1x128", shape);
  for_format(format, [&](auto f) {
    const auto kernel = aligned(shape) ? fp8_block_1x128_kernel<f.value, true>
                                       : fp8_block_1x128_kernel<f.value, false>;
    kernel<<<tile_grid(shape), kThreads, 0, stream>>>(x, shape, rounding, out, out_t);
  });
  cuda_check(cudaGetLastError(), "launch quantize 1x128");
}

}  // namespace mansard::kernels::fp8

namespace mansard::kernels {

void register_fp8_block_1x128(KernelRegistry& registry) {
  using namespace fp8;
  nvfp4::add_operation(
      registry, {.name = "fp8_block_1x128",
                 .summary = "BF16 to FP8 E4M3, row-wise and transposed, one FP32 scale per 1x128 "
                            "(4.0625 B/element)",
                 .traffic_bytes = traffic::block_1x128,
                 .output_bytes =
                     [](Shape s) {
                       return std::vector<std::int64_t>{s.elements(), scale_bytes_1x128(s),
                                                        s.elements(),
                                                        scale_bytes_1x128(s.transposed())};
                     },
                 .launch =
                     [](const nvfp4::Inputs& in, const nvfp4::Outputs& out, Shape shape,
                        cudaStream_t stream) {
                       quantize_1x128(Format::e4m3, ScaleRounding::power_of_two, in.x, shape,
                                      as_blocks(out, 0), as_blocks(out, 2), stream);
                     },
                 .reference =
                     [](const nvfp4::Inputs& in, const nvfp4::Outputs& out, Shape shape) {
                       reference::quantize_1x128(Format::e4m3, ScaleRounding::power_of_two, in.x,
                                                 shape, as_blocks(out, 0), as_blocks(out, 2));
                     },
                 .precision = Precision::fp8_e4m3});
}

}  // namespace mansard::kernels
