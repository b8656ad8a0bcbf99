// SPDX-License-Identifier: Apache-2.0
// Operand values of a layer's GEMM, in any format and on any backend.
#pragma once

#include <vector>

#include "kernels/recipes/operand_values.h"

namespace mansard::kernels {

// Row by row. Every value of an operand maps to one double, and thus to one bit pattern.
inline std::vector<double> operand_values(const GemmOperand& operand, std::int64_t rows,
                                          std::int64_t k, Backend& backend) {
  std::vector<double> values;
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::vector<double> of_row = read_operand_row(operand, rows, k, row, backend);
    values.insert(values.end(), of_row.begin(), of_row.end());
  }
  return values;
}

// The result of a GEMM.
inline std::vector<double> result_values(const GemmProblem& p, Backend& backend) {
  const auto count = static_cast<std::size_t>(p.m * p.n);
  if (p.output == GemmOutput::fp32) {
    std::vector<float> values(count);
    backend.read(values.data(), p.c, 4 * p.m * p.n);
    return {values.begin(), values.end()};
  }
  std::vector<Bf16> elements(count);
  backend.read(elements.data(), p.c, 2 * p.m * p.n);
  std::vector<double> values;
  for (const Bf16 element : elements) values.push_back(double{bf16::to_float(element)});
  return values;
}

}  // namespace mansard::kernels
