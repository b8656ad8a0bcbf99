// SPDX-License-Identifier: Apache-2.0
// The results of a layer in a recipe, and their distance from other results.
#pragma once

#include <cmath>
#include <vector>

#include "kernels/recipes/training_step.h"
#include "tests/kernels/recipes/gemm_operand_values.h"

namespace mansard::kernels {

// y, dx or dW on the CPU after `steps` steps.
inline std::vector<double> layer_result(const LinearProblem& problem, Recipe recipe, Pass wanted,
                                        int micro_batches = 1, int steps = 1) {
  const auto backend = make_cpu_backend();
  TrainingStep step({problem}, recipe, *backend, micro_batches);
  for (int i = 0; i < steps; ++i) step.run("step");
  return result_values(step.layers().front().plan(wanted).gemm, *backend);
}

// Relative to the whole, in the Euclidean norm.
inline double relative_error(const std::vector<double>& values, const std::vector<double>& exact) {
  double error = 0, norm = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    error += (values[i] - exact[i]) * (values[i] - exact[i]);
    norm += exact[i] * exact[i];
  }
  return std::sqrt(error / norm);
}

}  // namespace mansard::kernels
