// SPDX-License-Identifier: Apache-2.0
#include "kernels/numerics/operand_error.h"

#include <vector>

#include "kernels/device/parallel.h"

namespace mansard::kernels::numerics {

// A sum per row of the operand, so that the result does not depend on the number of threads.
Sums sums_of(const OperandError& operand) {
  const Shape shape = operand.operand_shape();
  const double unit = operand.unit * (operand.factor == nullptr ? 1.0 : double{*operand.factor});
  std::vector<Sums> of_rows(static_cast<std::size_t>(shape.rows));
  parallel_for(shape.rows, [&](std::int64_t row) {
    Sums sums;
    for (std::int64_t col = 0; col < shape.cols; ++col) {
      const std::int64_t from =
          operand.transposed ? col * operand.shape.cols + row : row * shape.cols + col;
      add_element(operand, unit, operand.source[from], row, col, sums);
    }
    of_rows[static_cast<std::size_t>(row)] = sums;
  });
  Sums all;
  for (const Sums& sums : of_rows) add(all, sums);
  return all;
}

}  // namespace mansard::kernels::numerics
