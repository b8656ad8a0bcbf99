// SPDX-License-Identifier: Apache-2.0
// One scale for the whole tensor.
#include "kernels/formats/fp8_format.h"
#include "kernels/fp8/dispatch.h"
#include "kernels/fp8/reference.h"
#include "kernels/fp8/reference/tile.h"

namespace mansard::kernels::fp8::reference {
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

}  // namespace mansard::kernels::fp8::reference
