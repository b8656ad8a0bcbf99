// SPDX-License-Identifier: Apache-2.0
// Block scales. Each scheme is written for one direction of one tile; x^T is the tile turned over.
#include "kernels/formats/fp8_format.h"
#include "kernels/fp8/dispatch.h"
#include "kernels/fp8/reference.h"
#include "kernels/fp8/reference/tile.h"

namespace mansard::kernels::fp8::reference {
namespace {

template <Format F>
void rows_1x128(ScaleRounding rounding, const TilePlace& place, const Tile& tile, Blocks out) {
  const std::int64_t stride = scale_stride(place.shape.rows);
  float* scales = out.scales + place.col / kBlock * stride + place.row;
  for (int r = 0; r < place.rows; ++r) {
    const TensorScale scale = block_scale(F, rounding, max_magnitude(tile.values[r], kBlock));
    scales[r] = scale.inverse;
    encode_run<F>(tile.values[r], place.cols, scale.scale,
                  out.codes + (place.row + r) * place.shape.cols + place.col);
  }
  for (std::int64_t r = place.shape.rows; r < stride; ++r) scales[r - place.row] = 0.0f;
}

template <Format F>
void rows_128x128(const TensorScale& scale, const TilePlace& place, const Tile& tile, Blocks out) {
  const std::int64_t strips = ceil_div(place.shape.cols, kBlock);
  const std::int64_t stride = scale_stride(strips);
  float* scales = out.scales + place.row / kBlock * stride;
  const std::int64_t strip = place.col / kBlock;
  scales[strip] = scale.inverse;
  if (strip + 1 == strips) std::fill(scales + strips, scales + stride, 0.0f);
  for (int r = 0; r < place.rows; ++r) {
    encode_run<F>(tile.values[r], place.cols, scale.scale,
                  out.codes + (place.row + r) * place.shape.cols + place.col);
  }
}

// A tile's 128 rows of 4 blocks are one tile of the tensor core's layout too. That is written
// whole: rows and blocks outside the matrix hold zeros here, whose scale is the padding's 0.
template <Format F>
void rows_mxfp8(ScaleLayout layout, const TilePlace& place, const Tile& tile, MxBlocks out) {
  constexpr int kBlocks = kTile / kMxBlock;
  const std::int64_t blocks = ceil_div(place.shape.cols, kMxBlock);
  for (int r = 0; r < kTile; ++r) {
    for (int b = 0; b < kBlocks; ++b) {
      const float* values = tile.values[r] + b * kMxBlock;
      const std::int64_t row = place.row + r;
      const std::int64_t block = place.col / kMxBlock + b;
      const bool inside = r < place.rows && block < blocks;
      if (layout == ScaleLayout::linear && !inside) continue;
      const std::uint8_t scale = mx_scale(F, max_magnitude(values, kMxBlock));
      out.scales[scale_index(layout, blocks, row, block)] = scale;
      if (!inside) continue;
      encode_run<F>(values, std::min(kMxBlock, place.cols - b * kMxBlock), e8m0_reciprocal(scale),
                    out.codes + row * place.shape.cols + place.col + b * kMxBlock);
    }
  }
}

}  // namespace

void quantize_1x128(Format format, ScaleRounding rounding, const Bf16* x, Shape shape, Blocks out,
                    Blocks out_t) {
  check_shape("quantise 1x128", shape);
  for_format(format, [&](auto f) {
    for_each_tile(x, shape, [&](const TilePlace& place, const Tile& tile, const Tile& tile_t) {
      rows_1x128<f.value>(rounding, place, tile, out);
      rows_1x128<f.value>(rounding, place.turned(), tile_t, out_t);
    });
  });
}

void quantize_128x128(Format format, ScaleRounding rounding, const Bf16* x, Shape shape, Blocks out,
                      Blocks out_t) {
  check_shape("quantise 128x128", shape);
  for_format(format, [&](auto f) {
    for_each_tile(x, shape, [&](const TilePlace& place, const Tile& tile, const Tile& tile_t) {
      const TensorScale scale =
          block_scale(format, rounding, max_magnitude(&tile.values[0][0], kTile * kTile));
      rows_128x128<f.value>(scale, place, tile, out);
      rows_128x128<f.value>(scale, place.turned(), tile_t, out_t);
    });
  });
}

void quantize_mxfp8(Format format, ScaleLayout layout, const Bf16* x, Shape shape, MxBlocks out,
                    MxBlocks out_t) {
  check_shape("quantise to MXFP8", shape);
  for_format(format, [&](auto f) {
    for_each_tile(x, shape, [&](const TilePlace& place, const Tile& tile, const Tile& tile_t) {
      rows_mxfp8<f.value>(layout, place, tile, out);
      rows_mxfp8<f.value>(layout, place.turned(), tile_t, out_t);
    });
  });
}

}  // namespace mansard::kernels::fp8::reference
