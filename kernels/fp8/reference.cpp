// SPDX-License-Identifier: Apache-2.0
#include "kernels/fp8/reference.h"

#include <array>
#include <cmath>
#include <limits>

#include "kernels/device/vector_for.h"
#include "kernels/formats/fp8_format.h"
#include "kernels/fp8/dispatch.h"
#include "kernels/fp8/reference/tile.h"
#include "kernels/nvfp4/reference.h"

namespace mansard::kernels::fp8::reference {
namespace {

float encoding_scale(Format format, float amax) {
  if (amax != amax) return kNan;
  if (amax == 0.0f || std::isinf(amax)) return 1.0f;
  const float scale = max_value(format) / amax;
  return std::isinf(scale) ? std::numeric_limits<float>::max() : scale;
}

TensorScale with_inverse(float scale) { return {scale, scale != scale ? kNan : 1.0f / scale}; }

}  // namespace

float amax(const Bf16* x, Shape shape) {
  check_shape("amax", shape);
  return nvfp4::reference::amax(x, shape);
}

TensorScale tensor_scale(Format format, float amax) {
  return with_inverse(encoding_scale(format, amax));
}

TensorScale block_scale(Format format, ScaleRounding rounding, float amax) {
  const float scale = encoding_scale(format, amax);
  // Cutting the mantissa would turn a NaN into an infinity.
  if (rounding == ScaleRounding::none || scale != scale) return with_inverse(scale);
  return with_inverse(std::bit_cast<float>(std::bit_cast<std::uint32_t>(scale) & 0xff800000u));
}

std::uint8_t mx_scale(Format format, float amax) {
  return to_e8m0(amax * (1.0f / max_value(format)));
}

void update_delayed_scale(Format format, AmaxChoice choice, float* amax, float* history, int length,
                          TensorScale* scale) {
  if (length < 1)
    throw std::invalid_argument("cannot update a delayed scale: the amax history has no entries");
  std::copy_backward(history, history + length - 1, history + length);
  history[0] = *amax;
  *scale = tensor_scale(format,
                        choice == AmaxChoice::newest ? history[0] : max_magnitude(history, length));
  *amax = 0.0f;
}

// One scale for the whole tensor.
namespace {

void raise(float* raised_amax, const Bf16* x, Shape shape) {
  if (raised_amax == nullptr) return;
  const float values[] = {*raised_amax, amax(x, shape)};
  *raised_amax = max_magnitude(values, 2);
}

}  // namespace

void cast(Format format, const Bf16* x, Shape shape, float scale, std::uint8_t* out,
          float* raised_amax) {
  check_shape("cast to FP8", shape);
  for_format(format, [&](auto f) {
    vector_parallel_for(shape.rows, [&](std::int64_t row) {
      encode_run<f.value>(x + row * shape.cols, shape.cols, scale, out + row * shape.cols);
    });
  });
  raise(raised_amax, x, shape);
}

void cast_transpose(Format format, const Bf16* x, Shape shape, float scale, std::uint8_t* out,
                    std::uint8_t* out_t, float* raised_amax) {
  cast(format, x, shape, scale, out, raised_amax);
  for_format(format, [&](auto f) {
    for_each_tile(x, shape, [&](const TilePlace& place, const Tile&, const Tile& tile_t) {
      for (int c = 0; c < place.cols; ++c) {
        encode_run<f.value>(tile_t.values[c], place.rows, scale,
                            out_t + (place.col + c) * shape.rows + place.row);
      }
    });
  });
}

namespace {

// Block scales. Each scheme is written for one direction of one tile; x^T uses the transposed tile.

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

// The 128 rows of 4 blocks in a tile are also one tile of the tensor core's layout, which is
// written whole: values outside the matrix are zero here, so their scale is the padding's 0.
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
  check_shape("quantize 1x128", shape);
  for_format(format, [&](auto f) {
    for_each_tile(x, shape, [&](const TilePlace& place, const Tile& tile, const Tile& tile_t) {
      rows_1x128<f.value>(rounding, place, tile, out);
      rows_1x128<f.value>(rounding, place.turned(), tile_t, out_t);
    });
  });
}

void quantize_128x128(Format format, ScaleRounding rounding, const Bf16* x, Shape shape, Blocks out,
                      Blocks out_t) {
  check_shape("quantize 128x128", shape);
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
  check_shape("quantize to MXFP8", shape);
  for_format(format, [&](auto f) {
    for_each_tile(x, shape, [&](const TilePlace& place, const Tile& tile, const Tile& tile_t) {
      rows_mxfp8<f.value>(layout, place, tile, out);
      rows_mxfp8<f.value>(layout, place.turned(), tile_t, out_t);
    });
  });
}

namespace {

// out = value * scale_of(row, block of `block` columns), rounded once.
template <typename ScaleOf>
void dequantize(const char* what, Format format, const std::uint8_t* codes, Shape shape, int block,
                Bf16* out, const ScaleOf& scale_of) {
  check_shape(what, shape);
  std::array<float, 256> values;
  for (int code = 0; code < 256; ++code) {
    values[static_cast<std::size_t>(code)] = fp8::decode(format, static_cast<std::uint8_t>(code));
  }
  vector_parallel_for(shape.rows, [&](std::int64_t row) {
    for (std::int64_t first = 0; first < shape.cols; first += block) {
      const float scale = scale_of(row, first / block);
      const std::int64_t end = row * shape.cols + std::min(shape.cols, first + block);
      for (std::int64_t i = row * shape.cols + first; i < end; ++i) {
        out[i] = bf16::from_float(values[codes[i]] * scale);
      }
    }
  });
}

}  // namespace

void decode(Format format, const std::uint8_t* codes, Shape shape, Bf16* out) {
  dequantize("decode FP8", format, codes, shape, kBlock, out,
             [](std::int64_t, std::int64_t) { return 1.0f; });
}

void dequantize_1x128(Format format, Blocks in, Shape shape, Bf16* out) {
  const std::int64_t stride = scale_stride(shape.rows);
  dequantize("dequantize 1x128", format, in.codes, shape, kBlock, out,
             [&](std::int64_t row, std::int64_t block) { return in.scales[block * stride + row]; });
}

void dequantize_128x128(Format format, Blocks in, Shape shape, Bf16* out) {
  const std::int64_t stride = scale_stride(ceil_div(shape.cols, kBlock));
  dequantize("dequantize 128x128", format, in.codes, shape, kBlock, out,
             [&](std::int64_t row, std::int64_t block) {
               return in.scales[row / kBlock * stride + block];
             });
}

void dequantize_mxfp8(Format format, ScaleLayout layout, MxBlocks in, Shape shape, Bf16* out) {
  const std::int64_t blocks = ceil_div(shape.cols, kMxBlock);
  dequantize("dequantize MXFP8", format, in.codes, shape, kMxBlock, out,
             [&](std::int64_t row, std::int64_t block) {
               return from_e8m0(in.scales[scale_index(layout, blocks, row, block)]);
             });
}

}  // namespace mansard::kernels::fp8::reference
