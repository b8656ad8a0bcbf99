// SPDX-License-Identifier: Apache-2.0
// Inputs and results of the FP8 tests: any shape, blocks with widely different magnitudes, and
// results followed by guard bytes.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "kernels/fp8/layout.h"
#include "tests/kernels/formats/special_inputs.h"

namespace mansard::kernels::fp8 {

// Rows and columns below, at and above the blocks of 32 and 128, a thread's 8 and 16, and a tile.
inline std::vector<Shape> ragged_shapes() {
  std::vector<Shape> shapes;
  for (const std::int64_t rows : {1, 15, 17, 32, 127, 129, 272}) {
    for (const std::int64_t cols : {1, 15, 17, 128, 208, 1040}) shapes.push_back({rows, cols});
  }
  return shapes;
}

inline std::string text(Shape s) { return std::to_string(s.rows) + "x" + std::to_string(s.cols); }

// Normal values whose blocks of 16x16 are scaled by powers of two from 2^-40 to 2^40, so that no
// block's scale fits its neighbor.
inline std::vector<Bf16> mixed_input(Shape shape, std::uint64_t seed) {
  std::vector<Bf16> x(static_cast<std::size_t>(shape.elements()));
  for (std::int64_t i = 0; i < shape.elements(); ++i) {
    const std::int64_t block = i / shape.cols / 16 * 131 + i % shape.cols / 16;
    const int exponent = static_cast<int>(block * 29 % 81) - 40;
    x[static_cast<std::size_t>(i)] =
        random_bf16(DataPattern::random_normal, seed, static_cast<std::uint64_t>(i), exponent);
  }
  return x;
}

// special_inputs() of a sufficiently large matrix, cut to `shape`.
inline std::vector<SpecialInput> fp8_inputs(Shape shape) {
  const std::int64_t elements = std::max<std::int64_t>(shape.elements(), 64);
  std::vector<SpecialInput> inputs = special_inputs({1, elements});
  for (SpecialInput& input : inputs) {
    // "negative_nan" is at the end.
    if (input.name == "negative_nan") std::swap(input.x.front(), input.x.back());
    input.x.resize(static_cast<std::size_t>(shape.elements()));
  }
  inputs.push_back({"mixed", mixed_input(shape, 5)});
  return inputs;
}

// The results of one block-scaled quantization, in both directions.
struct Results {
  Results(Shape s, std::int64_t scale_bytes, std::int64_t scale_bytes_t)
      : codes(static_cast<std::size_t>(s.elements()), 0xa5),
        codes_t(codes),
        scales(static_cast<std::size_t>(scale_bytes), 0xa5),
        scales_t(static_cast<std::size_t>(scale_bytes_t), 0xa5) {}

  static Results of_1x128(Shape s) {
    return {s, scale_bytes_1x128(s), scale_bytes_1x128(s.transposed())};
  }
  static Results of_128x128(Shape s) {
    return {s, scale_bytes_128x128(s), scale_bytes_128x128(s.transposed())};
  }
  static Results of_mxfp8(ScaleLayout layout, Shape s) {
    return {s, mx_scale_bytes(layout, s), mx_scale_bytes(layout, s.transposed())};
  }

  Blocks blocks() { return {codes.data(), reinterpret_cast<float*>(scales.data())}; }
  Blocks blocks_t() { return {codes_t.data(), reinterpret_cast<float*>(scales_t.data())}; }
  MxBlocks mx() { return {codes.data(), scales.data()}; }
  MxBlocks mx_t() { return {codes_t.data(), scales_t.data()}; }

  float scale(std::size_t i) const {
    float value = 0;
    std::memcpy(&value, scales.data() + 4 * i, sizeof value);
    return value;
  }

  std::vector<std::uint8_t> codes, codes_t, scales, scales_t;
};

}  // namespace mansard::kernels::fp8
