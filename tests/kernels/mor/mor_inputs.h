// SPDX-License-Identifier: Apache-2.0
// Matrices for MoR.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "kernels/formats/random_input.h"
#include "kernels/nvfp4/reference.h"

namespace mansard::kernels::mor {

struct MorInput {
  std::string name;
  Shape shape;
  std::vector<Bf16> x;

  float amax() const { return nvfp4::reference::amax(x.data(), shape); }
};

inline std::size_t index_in(const MorInput& input, std::int64_t row, std::int64_t col) {
  return static_cast<std::size_t>(row * input.shape.cols + col);
}

inline MorInput normal_input(Shape shape, int exponent = 0) {
  MorInput input{"normal, 2^" + std::to_string(exponent), shape, {}};
  input.x.resize(static_cast<std::size_t>(shape.elements()));
  fill_random(input.x.data(), shape.elements(), DataPattern::random_normal, 3, exponent);
  return input;
}

// Normal data times 2^(-`range` * u^2) with a uniform u for each element.
inline MorInput wide_input(Shape shape, double range) {
  MorInput input = normal_input(shape);
  input.name = "wide, 2^" + std::to_string(static_cast<int>(range));
  for (std::size_t i = 0; i < input.x.size(); ++i) {
    const double u = double{random_float(DataPattern::random_uniform, 9, i)};
    input.x[i] = bf16::from_float(bf16::to_float(input.x[i]) *
                                  static_cast<float>(std::exp2(-range * u * u)));
  }
  return input;
}

// Three blocks, one for each representation at a threshold of 0.03. The amax is 1.75, so that the
// scales are powers of two.
inline MorInput block_for_each_representation() {
  MorInput input = normal_input({128, 384}, -2);
  input.name = "a block for each";
  for (std::int64_t row = 0; row < 128; ++row) {
    for (std::int64_t col = 0; col < 384; ++col) {
      Bf16& x = input.x[index_in(input, row, col)];
      // Half of E4M3's smallest step, which rounds to zero: 3.4 % of the sum. Exact in E5M2.
      if (col >= 128 && col < 256) x = bf16::from_float(std::exp2(-18.0f));
      if (col >= 256) x = {0};
    }
  }
  input.x[index_in(input, 17, 200)] = bf16::from_float(-1.75f);
  // In the middle of two values of both formats: an error of 5.9 %.
  input.x[index_in(input, 100, 300)] = bf16::from_float(1.0625f);
  return input;
}

inline MorInput with_elements(MorInput input, const std::string& name,
                              const std::vector<std::pair<std::size_t, std::uint16_t>>& elements) {
  input.name = name;
  for (const auto& [index, bits] : elements) input.x[index % input.x.size()] = {bits};
  return input;
}

// Shapes with whole and partial blocks, odd sizes, and all special values.
inline std::vector<MorInput> mor_inputs() {
  std::vector<MorInput> all;
  for (const Shape shape : {Shape{256, 384}, Shape{160, 96}, Shape{129, 257}, Shape{1, 1},
                            Shape{300, 8}, Shape{5, 1000}}) {
    all.push_back(normal_input(shape));
  }
  const Shape shape = {272, 320};
  for (const int exponent : {-132, -127, -120, -100, 40, 124}) {
    all.push_back(normal_input(shape, exponent));
  }
  for (const double range : {10.0, 20.0, 40.0, 80.0}) all.push_back(wide_input(shape, range));
  all.push_back(block_for_each_representation());
  all.push_back(with_elements(normal_input(shape), "outlier", {{777, 0x4780}}));
  all.push_back(with_elements(normal_input(shape), "largest", {{777, 0x7f7f}, {5000, 0xff7f}}));
  all.push_back(with_elements(normal_input(shape), "NaN", {{777, 0x7fc1}, {778, 0xffff}}));
  all.push_back(with_elements(normal_input(shape), "infinity", {{50000, 0xff80}}));
  all.push_back(with_elements(normal_input(shape), "smallest", {{777, 1}, {778, 0x8001}}));
  MorInput zeros = normal_input(shape);
  zeros.name = "zeros";
  std::fill(zeros.x.begin(), zeros.x.end(), Bf16{0x8000});
  all.push_back(zeros);
  all.push_back(with_elements(zeros, "one block is not zero", {{40000, 0x3f91}}));
  return all;
}

}  // namespace mansard::kernels::mor
