// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "kernels/device/vector_for.h"
#include "kernels/formats/fp8_format.h"
#include "kernels/fp8/reference.h"

namespace mansard::kernels::fp8::reference {
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
  dequantize("dequantise 1x128", format, in.codes, shape, kBlock, out,
             [&](std::int64_t row, std::int64_t block) { return in.scales[block * stride + row]; });
}

void dequantize_128x128(Format format, Blocks in, Shape shape, Bf16* out) {
  const std::int64_t stride = scale_stride(ceil_div(shape.cols, kBlock));
  dequantize("dequantise 128x128", format, in.codes, shape, kBlock, out,
             [&](std::int64_t row, std::int64_t block) {
               return in.scales[row / kBlock * stride + block];
             });
}

void dequantize_mxfp8(Format format, ScaleLayout layout, MxBlocks in, Shape shape, Bf16* out) {
  const std::int64_t blocks = ceil_div(shape.cols, kMxBlock);
  dequantize("dequantise MXFP8", format, in.codes, shape, kMxBlock, out,
             [&](std::int64_t row, std::int64_t block) {
               return from_e8m0(in.scales[scale_index(layout, blocks, row, block)]);
             });
}

}  // namespace mansard::kernels::fp8::reference
