// SPDX-License-Identifier: Apache-2.0
// BF16 to MXFP8 of x and of x^T, with one E8M0 scale per 1x32 of each, from one reading: 2 + 2 * (1
// + 1/32) = 4.0625 B per element.
#include "kernels/device/cuda_check.h"
#include "kernels/fp8/device/encode_piece.cuh"
#include "kernels/fp8/device/maxima.cuh"
#include "kernels/fp8/device/mx_scales.cuh"
#include "kernels/fp8/dispatch.h"
#include "kernels/fp8/fp8.h"
#include "kernels/fp8/operation_helpers.h"
#include "kernels/fp8/reference.h"

namespace mansard::kernels::fp8 {
namespace {

using namespace device;

// A block along a column is within one thread, a block along a row is within eight lanes. Four
// warps are stacked vertically, two side by side; a warp reads 256 bytes of a row.
constexpr int kRows = 32;
constexpr int kCols = 4;
constexpr int kBands = kTileRows / kRows;
static_assert(kRows == kMxBlock && 8 * kCols == kMxBlock);
static_assert(kBands * kRows == kTileRows && kThreads / 32 / kBands * 32 * kCols == kTileCols);

// Largest magnitudes of rows 2k and 2k + 1 in word k over this thread's four columns, and those of
// its columns.
__device__ __forceinline__ void maxima_of_piece(const std::uint32_t (&words)[kRows][kCols / 2],
                                                std::uint32_t (&of_rows)[kRows / 2],
                                                std::uint32_t (&of_columns)[kCols / 2]) {
  of_columns[0] = of_columns[1] = 0;
#pragma unroll
  for (int k = 0; k < kRows / 2; ++k) {
    const std::uint32_t a0 = magnitudes(words[2 * k][0]);
    const std::uint32_t a1 = magnitudes(words[2 * k][1]);
    const std::uint32_t b0 = magnitudes(words[2 * k + 1][0]);
    const std::uint32_t b1 = magnitudes(words[2 * k + 1][1]);
    of_columns[0] = max3(of_columns[0], a0, b0);
    of_columns[1] = max3(of_columns[1], a1, b1);
    of_rows[k] = pack_larger_halves(__vmaxu2(a0, a1), __vmaxu2(b0, b1));
  }
}

// Lane l of eight lanes holds the factors of rows 4l to 4l + 3, as pairs of BF16.
struct ScalesOfEightLanes {
  std::uint32_t own[2];
  __device__ __forceinline__ void operator()(int group, float (&scales)[4]) const {
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const std::uint32_t pair = __shfl_sync(kAllLanes, own[i], group, 8);
      scales[2 * i] = low_bf16(pair);
      scales[2 * i + 1] = high_bf16(pair);
    }
  }
};

template <Format F, bool kAligned>
__global__ void __launch_bounds__(kThreads, kAligned ? kBlocksPerSm : 1)
    mxfp8_quantize_kernel(const Bf16* __restrict__ x, Shape shape, ScaleLayout layout, MxBlocks out,
                          MxBlocks out_t) {
  __shared__ StagedColumns<kCols> staged;
  __shared__ StagedScales scales_of_rows, scales_of_columns;
  const Tile tile = this_tile(shape);
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int band = static_cast<int>(threadIdx.x) / 32 % kBands;
  const int side = static_cast<int>(threadIdx.x) / 32 / kBands;
  const Piece<kRows, kCols> piece(tile, band * kRows, side * kBlock + lane * kCols);
  std::uint32_t words[kRows][kCols / 2];
  load_piece<kAligned>(x, shape, tile, piece, words);

  std::uint32_t of_rows[kRows / 2], of_columns[kCols / 2];
  maxima_of_piece(words, of_rows, of_columns);
  distribute_maxima<kRows / 2, 4>(of_rows);

  TwoScales<F, kCols, ScalesOfEightLanes> encoder;
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const std::uint32_t even = mx_scale<F>(of_rows[i] << 16);
    const std::uint32_t odd = mx_scale<F>(of_rows[i] & 0xffff0000u);
    const int line = band * kRows + lane % 8 * 4 + 2 * i;
    scales_of_rows.put(side, line, lane / 8, even);
    scales_of_rows.put(side, line + 1, lane / 8, odd);
    encoder.row_scales.own[i] = mx_reciprocal_bf16(even) | mx_reciprocal_bf16(odd) << 16;
  }
#pragma unroll
  for (int c = 0; c < kCols; ++c) {
    const std::uint32_t pair = of_columns[c / 2];
    const std::uint32_t scale = mx_scale<F>(c % 2 == 0 ? pair << 16 : pair & 0xffff0000u);
    scales_of_columns.put(side, lane * kCols + c, band, scale);
    encoder.column_scales[c] = __uint_as_float(mx_reciprocal_bf16(scale) << 16);
  }
  encode_piece<kAligned>(words, encoder, tile, piece, shape, out.codes, staged);
  __syncthreads();
  write_scales(layout, scales_of_rows, scales_of_columns, tile, shape, out.scales, out_t.scales);
  staged.write(tile, shape, out_t.codes);
}

}  // namespace

void quantize_mxfp8(Format format, ScaleLayout layout, const Bf16* x, Shape shape, MxBlocks out,
                    MxBlocks out_t, cudaStream_t stream) {
  check_shape("quantize to MXFP8", shape);
  for_format(format, [&](auto f) {
    const auto kernel = aligned(shape) ? mxfp8_quantize_kernel<f.value, true>
                                       : mxfp8_quantize_kernel<f.value, false>;
    kernel<<<tile_grid(shape), kThreads, 0, stream>>>(x, shape, layout, out, out_t);
  });
  cuda_check(cudaGetLastError(), "launch quantize to MXFP8");
}

}  // namespace mansard::kernels::fp8

namespace mansard::kernels {

void register_mxfp8_quantize(KernelRegistry& registry) {
  using namespace fp8;
  nvfp4::add_operation(
      registry,
      {.name = "mxfp8_quantize",
       .summary = "BF16 to MXFP8 E4M3, row-wise and transposed, tiled scales (4.0625 B/element)",
       .traffic_bytes = [](Shape s) { return traffic::mxfp8(ScaleLayout::tiled, s); },
       .output_bytes =
           [](Shape s) {
             return std::vector<std::int64_t>{s.elements(), mx_scale_bytes(ScaleLayout::tiled, s),
                                              s.elements(),
                                              mx_scale_bytes(ScaleLayout::tiled, s.transposed())};
           },
       .launch =
           [](const nvfp4::Inputs& in, const nvfp4::Outputs& out, Shape shape,
              cudaStream_t stream) {
             quantize_mxfp8(Format::e4m3, ScaleLayout::tiled, in.x, shape, as_mx_blocks(out, 0),
                            as_mx_blocks(out, 2), stream);
           },
       .reference =
           [](const nvfp4::Inputs& in, const nvfp4::Outputs& out, Shape shape) {
             reference::quantize_mxfp8(Format::e4m3, ScaleLayout::tiled, in.x, shape,
                                       as_mx_blocks(out, 0), as_mx_blocks(out, 2));
           },
       .precision = Precision::mxfp8});
}

}  // namespace mansard::kernels
