// SPDX-License-Identifier: Apache-2.0
// Row-wise quantisation of activations and gradients: one E4M3 scale for each 16 elements of a row.
// Moves 2 + 0.5 + 1/16 = 2.5625 B an element.
#include "kernels/nvfp4/nvfp4.h"
#include "kernels/nvfp4/operation.h"
#include "kernels/nvfp4/reference.h"
#include "kernels/nvfp4/strip_quantize.cuh"

namespace mansard::nvfp4 {

void quantize_1x16(const Bf16* x, Shape shape, const float* amax, Matrix out,
                   const Options& options, cudaStream_t stream) {
  QuantizeArguments a;
  a.x = x;
  a.shape = shape;
  a.amax = amax;
  a.out = out;
  a.random = options.random;
  a.layout = options.layout;
  device::launch_strip_quantize<true, false, Transform::none, false>(a, "quantise 1x16", stream);
}

}  // namespace mansard::nvfp4

namespace mansard {

void register_nvfp4_quantize_1x16(KernelRegistry& registry) {
  using namespace nvfp4;
  OperationDefinition nearest = {
      .name = "nvfp4_quantize_1x16",
      .summary = "BF16 to NVFP4, one scale for 1x16 of a row (2.5625 B/element)",
      .traffic_bytes = traffic::quantize,
      .output_bytes = matrix_output_bytes,
      .launch =
          [](const Inputs& in, const Outputs& out, Shape shape, cudaStream_t stream) {
            quantize_1x16(in.x, shape, in.amax, as_matrix(out), {}, stream);
          },
      .reference =
          [](const Inputs& in, const Outputs& out, Shape shape) {
            reference::quantize_1x16(in.x, shape, *in.amax, as_matrix(out));
          }};
  add_operation(registry, nearest);

  OperationDefinition stochastic = nearest;
  stochastic.name = "nvfp4_quantize_1x16_stochastic";
  stochastic.summary =
      "BF16 to NVFP4 by stochastic rounding, one scale for 1x16 (2.5625 B/element)";
  stochastic.launch = [](const Inputs& in, const Outputs& out, Shape shape, cudaStream_t stream) {
    quantize_1x16(in.x, shape, in.amax, as_matrix(out), {.random = in.random}, stream);
  };
  stochastic.reference = [](const Inputs& in, const Outputs& out, Shape shape) {
    reference::quantize_1x16(in.x, shape, *in.amax, as_matrix(out), {.random = in.random});
  };
  add_operation(registry, stochastic);
}

}  // namespace mansard
