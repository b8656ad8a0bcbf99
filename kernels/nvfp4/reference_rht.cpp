// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <limits>

#include "kernels/nvfp4/formats.h"
#include "kernels/nvfp4/parallel.h"
#include "kernels/nvfp4/reference.h"
#include "kernels/nvfp4/rht.h"

namespace mansard::nvfp4::reference {
namespace {

std::uint16_t max_magnitude(const Bf16* x, std::int64_t count) {
  std::uint16_t largest = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    largest = std::max<std::uint16_t>(largest, x[i].bits & bf16::kMagnitudeMask);
  }
  return largest;
}

void raise_to(std::atomic<std::uint16_t>& largest, std::uint16_t value) {
  std::uint16_t seen = largest;
  while (seen < value && !largest.compare_exchange_weak(seen, value)) {
  }
}

}  // namespace

// As integers, BF16 magnitudes order as their values do, with NaN above infinity.
float amax(const Bf16* x, Shape shape) {
  require_shape("amax", shape);
  std::atomic<std::uint16_t> largest = 0;
  parallel_for(shape.rows, [&](std::int64_t row) {
    raise_to(largest, max_magnitude(x + row * shape.cols, shape.cols));
  });
  return bf16::to_float({largest});
}

void rht16(float (&values)[16]) {
  for (int i = 0; i < 16; ++i) {
    values[i] *= (kRhtNegative >> i & 1u) != 0 ? -kRhtBefore : kRhtBefore;
  }
  // H16 in Sylvester's order as four stages of butterflies.
  for (int half = 1; half < 16; half *= 2) {
    for (int i = 0; i < 16; ++i) {
      if ((i & half) != 0) continue;
      const float a = values[i];
      const float b = values[i + half];
      values[i] = a + b;
      values[i + half] = a - b;
    }
  }
  for (float& v : values) v = bf16::to_float(bf16::from_float(v * kRhtAfter));
}

namespace {

std::int64_t bands_of(Shape shape) { return (shape.rows + kBlock - 1) / kBlock; }

// The 16 elements of column `col` from row 16 * band on, transformed.
void transformed_block(const Bf16* x, Shape shape, std::int64_t band, std::int64_t col,
                       float (&values)[16]) {
  for (int i = 0; i < kBlock; ++i) {
    const std::int64_t row = band * kBlock + i;
    values[i] = row < shape.rows ? bf16::to_float(x[row * shape.cols + col]) : 0.0f;
  }
  rht16(values);
}

}  // namespace

void rht_transposed(const Bf16* x, Shape shape, Bf16* out) {
  require_shape("RHT", shape);
  parallel_for(bands_of(shape), [&](std::int64_t band) {
    for (std::int64_t col = 0; col < shape.cols; ++col) {
      float values[kBlock];
      transformed_block(x, shape, band, col, values);
      const std::int64_t row = band * kBlock;
      const auto count = static_cast<int>(std::min<std::int64_t>(kBlock, shape.rows - row));
      for (int i = 0; i < count; ++i) {
        out[col * shape.rows + row + i] = bf16::from_float(values[i]);
      }
    }
  });
}

float amax_rht_transposed(const Bf16* x, Shape shape) {
  require_shape("amax of the RHT", shape);
  std::atomic<std::uint16_t> largest = 0;
  parallel_for(bands_of(shape), [&](std::int64_t band) {
    std::uint16_t band_largest = 0;
    for (std::int64_t col = 0; col < shape.cols; ++col) {
      float values[kBlock];
      transformed_block(x, shape, band, col, values);
      Bf16 rounded[kBlock];
      for (int i = 0; i < kBlock; ++i) rounded[i] = bf16::from_float(values[i]);
      band_largest = std::max(band_largest, max_magnitude(rounded, kBlock));
    }
    raise_to(largest, band_largest);
  });
  return bf16::to_float({largest});
}

}  // namespace mansard::nvfp4::reference
