// SPDX-License-Identifier: Apache-2.0
// Quantizes a BF16 matrix to NVFP4 with one reading: rows, columns (transposed, with or without the
// Hadamard transform), or both, with a scale per 1x16 or per 16x16.
//
// Row results are stored directly from registers, 64 bytes of codes per band and row. Column
// results are gathered in shared memory: the blocks of a column in the eight bands are 64
// contiguous bytes of the transpose. Thread blocks are persistent and process tile after tile
// (strip.cuh defines the order), so that the tables of scales are filled once and the next tile is
// loaded while this one is stored.
#pragma once

#include <algorithm>
#include <type_traits>

#include "kernels/device/cuda_check.h"
#include "kernels/device/resident_blocks.h"
#include "kernels/nvfp4/device/plain_tile.cuh"
#include "kernels/nvfp4/device/strip_quantizer.cuh"

namespace mansard::kernels::nvfp4::device {

struct NoStage {};

template <bool kCols>
struct StripShared {
  StripStage strip;
  std::conditional_t<kCols, ColumnStage, NoStage> columns;
  ScaleStage row_scales[kCols ? 1 : 2];  // rows only: two alternate
  EncodeTable table, table_t;
};

// Enough registers to avoid spilling, which costs more than additional thread blocks gain.
template <bool kRows, bool kCols, Transform kTransform, bool kSquare, bool kStochastic>
__global__ void __launch_bounds__(kStripThreads, kStochastic ? 3 : 4)
    nvfp4_strip_quantize(const __grid_constant__ QuantizeArguments a, StripTiles tiles) {
  StripTile tile = StripTile::first(tiles);
#if __CUDA_ARCH__ >= 890
  extern __shared__ uint4 raw_shared[];
  auto& shared = *reinterpret_cast<StripShared<kCols>*>(raw_shared);
  const int band_row = band_of_thread() * kStripRows;
  const int lane_col = lane_of_band() * kStripCols;
  const auto strip_of = [&](StripTile t) {
    const std::int64_t row = t.row();
    const std::int64_t col = t.col();
    const bool whole = t.exists(tiles) && a.shape.cols % kStripCols == 0 &&
                       row + kStripTileRows <= a.shape.rows && col + kStripTileCols <= a.shape.cols;
    return NextStrip{whole ? a.x + (row + band_row) * a.shape.cols + col + lane_col : nullptr,
                     a.shape.cols};
  };
  NextStrip next = strip_of(tile);
  next.fetch_all(shared.strip);
  if (kRows) shared.table.fill(*a.amax);
  if (kCols && !kSquare) shared.table_t.fill(*a.amax_t);
  __syncthreads();
  const EncodeTable& table_t = kSquare ? shared.table : shared.table_t;
  const std::int64_t blocks = (a.shape.cols + 15) / 16;
  for (int turn = 0; tile.exists(tiles); turn ^= 1) {
    const TileBounds t = {tile.row(), tile.col(), kStripTileRows, kStripTileCols};
    const bool whole = next.x != nullptr;
    tile = tile.next(tiles);
    next = strip_of(tile);
    StripStage::wait();
    StripQuantizer<kTransform, kSquare, kStochastic> quantizer(a, shared.strip, t.row + band_row,
                                                               t.col + lane_col);
    const bool rows_fine = whole && kRows && shared.table.usable();
    const bool columns_fine = whole && kCols && table_t.usable();
    ScaleStage& row_scales = shared.row_scales[kCols ? 0 : turn];
    if constexpr (kSquare && !kStochastic) {
      if (rows_fine) {
        quantizer.square(shared.table, next, row_scales, shared.columns);
        __syncthreads();
        row_scales.write(a.out.scales, a.layout, blocks, t.row, t.col / 16);
        shared.columns.write(a, t.row, t.col);
      } else {
        next.fetch_all(shared.strip);
        plain_tile<true, true, kTransform, true>(a, t);
      }
      __syncthreads();
      continue;
    }
    if (kSquare && rows_fine) quantizer.find_square_scale(shared.table);
    if constexpr (kCols) {
      bool fine = columns_fine;
      if (fine) fine = quantizer.columns(table_t, shared.columns);
      if (!kRows) next.fetch_all(shared.strip);
      if (__syncthreads_and(fine)) {
        shared.columns.write(a, t.row, t.col);
      } else {
        plain_tile<false, true, kTransform, kSquare>(a, t);
      }
      if (!kRows) __syncthreads();
    }
    if constexpr (kRows) {
      if (rows_fine) {
        quantizer.rows(shared.table, next, row_scales);
        __syncthreads();
        row_scales.write(a.out.scales, a.layout, blocks, t.row, t.col / 16);
      } else {
        next.fetch_all(shared.strip);
        plain_tile<true, false, kTransform, kSquare>(a, t);
        __syncthreads();
      }
    }
  }
#else
  for (; tile.exists(tiles); tile = tile.next(tiles)) {
    plain_tile<kRows, kCols, kTransform, kSquare>(
        a, {tile.row(), tile.col(), kStripTileRows, kStripTileCols});
  }
#endif
}

inline void clear_padding(Matrix out, Shape shape, ScaleLayout layout, cudaStream_t stream) {
  if (scale_bytes(shape, layout) == scale_bytes(shape)) return;
  cuda_check(
      cudaMemsetAsync(out.scales, 0, static_cast<std::size_t>(scale_bytes(shape, layout)), stream),
      "clear the padding of scales");
}

template <bool kRows, bool kCols, Transform kTransform, bool kSquare>
void launch_strip_quantize(const QuantizeArguments& a, const char* what, cudaStream_t stream) {
  require_shape(what, a.shape);
  if (kRows) clear_padding(a.out, a.shape, a.layout, stream);
  if (kCols) clear_padding(a.out_t, a.shape.transposed(), a.layout, stream);
  const auto kernel = a.random != nullptr
                          ? nvfp4_strip_quantize<kRows, kCols, kTransform, kSquare, true>
                          : nvfp4_strip_quantize<kRows, kCols, kTransform, kSquare, false>;
  constexpr int kShared = sizeof(StripShared<kCols>);
  const StripGrid grid = strip_grid(a.shape, resident_blocks(kernel, kStripThreads, kShared));
  kernel<<<static_cast<unsigned>(grid.blocks), kStripThreads, kShared, stream>>>(a, grid.tiles);
  cuda_check(cudaGetLastError(), what);
}

}  // namespace mansard::kernels::nvfp4::device
