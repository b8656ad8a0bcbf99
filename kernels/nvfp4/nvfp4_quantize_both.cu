// SPDX-License-Identifier: Apache-2.0
// Second pass over an activation or gradient in NVFP4 training. One reading of x yields its rows,
// for fprop or dgrad, and its transformed columns, for wgrad. 2 + 2 * (0.5 + 1/16) = 3.125 B per
// element.
#include "kernels/nvfp4/device/strip_quantize.cuh"
#include "kernels/nvfp4/nvfp4.h"
#include "kernels/nvfp4/operation.h"
#include "kernels/nvfp4/reference.h"

namespace mansard::kernels::nvfp4 {
namespace {
__global__ void nvfp4_next_random_kernel(RandomState* state) { ++state->offset; }
}  // namespace

void next_random(RandomState* state, cudaStream_t stream) {
  nvfp4_next_random_kernel<<<1, 1, 0, stream>>>(state);
  cuda_check(cudaGetLastError(), "launch the next random numbers");
}

void quantize_both(const Bf16* x, Shape shape, const float* amax, const float* amax_t,
                   Transform transform, Matrix out, Matrix out_t, const Options& options,
                   cudaStream_t stream) {
  const QuantizeArguments a = {x, shape, amax, amax_t, out, out_t, options.random, options.layout};
  constexpr const char* kWhat = "quantize rows and columns";
  if (transform == Transform::rht) {
    device::launch_strip_quantize<true, true, Transform::rht, false>(a, kWhat, stream);
  } else {
    device::launch_strip_quantize<true, true, Transform::none, false>(a, kWhat, stream);
  }
}

}  // namespace mansard::kernels::nvfp4

namespace mansard::kernels {

void register_nvfp4_quantize_both(KernelRegistry& registry) {
  using namespace nvfp4;
  OperationDefinition nearest = {
      .name = "nvfp4_quantize_both_rht",
      .summary = "BF16 to NVFP4, row-wise, and column-wise after the RHT (3.125 B/element)",
      .traffic_bytes = traffic::quantize_both,
      .output_bytes = both_output_bytes,
      .launch =
          [](const Inputs& in, const Outputs& out, Shape shape, cudaStream_t stream) {
            quantize_both(in.x, shape, in.amax, in.amax_rht, Transform::rht, as_matrix(out),
                          as_matrix(out, 2), {}, stream);
          },
      .reference =
          [](const Inputs& in, const Outputs& out, Shape shape) {
            reference::quantize_1x16(in.x, shape, *in.amax, as_matrix(out));
            reference::quantize_transposed(in.x, shape, *in.amax_rht, Transform::rht,
                                           as_matrix(out, 2));
          }};
  add_operation(registry, nearest);

  OperationDefinition stochastic = nearest;
  stochastic.name = "nvfp4_quantize_both_rht_stochastic";
  stochastic.summary =
      "BF16 to NVFP4, row-wise, and column-wise after the RHT, stochastic (3.125 B/element)";
  stochastic.launch = [](const Inputs& in, const Outputs& out, Shape shape, cudaStream_t stream) {
    quantize_both(in.x, shape, in.amax, in.amax_rht, Transform::rht, as_matrix(out),
                  as_matrix(out, 2), {.random = in.random}, stream);
  };
  stochastic.reference = [](const Inputs& in, const Outputs& out, Shape shape) {
    const reference::Options options = {.random = in.random};
    reference::quantize_1x16(in.x, shape, *in.amax, as_matrix(out), options);
    reference::quantize_transposed(in.x, shape, *in.amax_rht, Transform::rht, as_matrix(out, 2),
                                   options);
  };
  add_operation(registry, stochastic);
}

}  // namespace mansard::kernels
