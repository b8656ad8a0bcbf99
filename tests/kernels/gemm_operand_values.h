// SPDX-License-Identifier: Apache-2.0
// What a layer's GEMM reads, of any format, on any backend.
#pragma once

#include <vector>

#include "kernels/fp8/formats.h"
#include "kernels/recipes/backend.h"

namespace mansard {

// In the order of memory, without scales. Every FP8 value has one float, and so one pattern of
// bits.
inline std::vector<float> operand_values(const GemmOperand& operand, std::int64_t count,
                                         Backend& backend) {
  std::vector<float> values(static_cast<std::size_t>(count));
  if (operand.is_fp8()) {
    const auto format =
        operand.format == Precision::fp8_e4m3 ? fp8::Format::e4m3 : fp8::Format::e5m2;
    std::vector<std::uint8_t> codes(values.size());
    backend.read(codes.data(), operand.data, count);
    for (std::size_t i = 0; i < codes.size(); ++i) values[i] = fp8::decode(format, codes[i]);
  } else {
    std::vector<Bf16> elements(values.size());
    backend.read(elements.data(), operand.data, 2 * count);
    for (std::size_t i = 0; i < elements.size(); ++i) values[i] = bf16::to_float(elements[i]);
  }
  return values;
}

// What the GEMM multiplies the products of those values by. FP8 tensor cores are given it in two
// parts, a GEMM of decoded codes as their FP32 product.
inline float operand_factor(const GemmProblem& p, Backend& backend) {
  float factor = 1.0f;
  for (const float* part : {p.a.scale, p.b.scale, p.alpha}) {
    if (part == nullptr) continue;
    float value = 0;
    backend.read(&value, part, sizeof value);
    factor *= value;
  }
  return factor;
}

}  // namespace mansard
