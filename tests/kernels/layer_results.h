// SPDX-License-Identifier: Apache-2.0
// What a layer computes in a recipe, and how far that is from another.
#pragma once

#include <cmath>
#include <vector>

#include "kernels/recipes/linear_layer.h"

namespace mansard {

// y, dx or dW on the CPU, run in the order of a training step.
inline std::vector<double> layer_result(const LinearProblem& problem, Recipe recipe, Pass wanted) {
  const auto backend = make_cpu_backend();
  const LinearLayer layer(problem, recipe, *backend);
  for (const Pass pass : kPasses) layer.run(pass);
  const GemmProblem& p = layer.plan(wanted).gemm;
  std::vector<double> values;
  for (std::int64_t i = 0; i < p.m * p.n; ++i) {
    values.push_back(p.output == GemmOutput::fp32
                         ? static_cast<const float*>(p.c)[i]
                         : bf16::to_float(static_cast<const Bf16*>(p.c)[i]));
  }
  return values;
}

// Of the whole, in the Euclidean norm.
inline double relative_error(const std::vector<double>& values, const std::vector<double>& exact) {
  double error = 0, norm = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    error += (values[i] - exact[i]) * (values[i] - exact[i]);
    norm += exact[i] * exact[i];
  }
  return std::sqrt(error / norm);
}

}  // namespace mansard
