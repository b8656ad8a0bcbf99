// SPDX-License-Identifier: Apache-2.0
// The baseline: three GEMMs that read x, W and dy as they lie in memory.
#include "kernels/recipes/linear_layer.h"

namespace mansard {

std::array<PassPlan, 3> plan_bf16(const LayerTensors& t, Backend& backend) {
  const Bf16* x = t.x.as<Bf16>();
  const Bf16* w = t.w.as<Bf16>();
  const Bf16* dy = t.dy.as<Bf16>();
  const auto inner = ReductionAxis::inner;
  const auto outer = ReductionAxis::outer;
  // The operations own the tensors: they are what outlives this function.
  const auto plan = [&](const GemmProblem& problem) {
    Operation gemm = gemm_operation("gemm", problem, backend);
    gemm.run = [t, run = std::move(gemm.run)] { run(); };
    return PassPlan{{std::move(gemm)}, problem};
  };
  return {
      // y = x W^T
      plan({t.tokens,
            t.out_features,
            t.in_features,
            {x, inner},
            {w, inner},
            t.y.as<Bf16>(),
            GemmOutput::bf16,
            nullptr}),
      // dx = dy W
      plan({t.tokens,
            t.in_features,
            t.out_features,
            {dy, inner},
            {w, outer},
            t.dx.as<Bf16>(),
            GemmOutput::bf16,
            nullptr}),
      // dW = dy^T x
      plan({t.out_features,
            t.in_features,
            t.tokens,
            {dy, outer},
            {x, outer},
            t.dw.as<float>(),
            GemmOutput::fp32,
            nullptr}),
  };
}

}  // namespace mansard
