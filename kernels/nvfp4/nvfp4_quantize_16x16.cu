// SPDX-License-Identifier: Apache-2.0
// Quantization of weights with one scale per 16x16 tile, so that W (fprop) and W^T (dgrad) have the
// same values. Both results from one reading: 2 + 2 * (0.5 + 1/16) = 3.125 B per element.
#include "kernels/nvfp4/device/strip_quantize.cuh"
#include "kernels/nvfp4/nvfp4.h"
#include "kernels/nvfp4/operation.h"
#include "kernels/nvfp4/reference.h"

namespace mansard::kernels::nvfp4 {

void quantize_16x16(const Bf16* x, Shape shape, const float* amax, Matrix out, Matrix out_t,
                    const Options& options, cudaStream_t stream) {
  const QuantizeArguments a = {x, shape, amax, amax, out, out_t, options.random, options.layout};
  device::launch_strip_quantize<true, true, Transform::none, true>(a, "quantize 16x16", stream);
}

}  // namespace mansard::kernels::nvfp4

namespace mansard::kernels {

void register_nvfp4_quantize_16x16(KernelRegistry& registry) {
  using namespace nvfp4;
  add_operation(
      registry,
      {.name = "nvfp4_quantize_16x16",
       .summary =
           "Weight and its transpose, BF16 to NVFP4, one scale per 16x16 tile (3.125 B/element)",
       .traffic_bytes = traffic::quantize_both,
       .output_bytes = both_output_bytes,
       .launch =
           [](const Inputs& in, const Outputs& out, Shape shape, cudaStream_t stream) {
             quantize_16x16(in.x, shape, in.amax, as_matrix(out), as_matrix(out, 2), {}, stream);
           },
       .reference =
           [](const Inputs& in, const Outputs& out, Shape shape) {
             reference::quantize_16x16(in.x, shape, *in.amax, as_matrix(out), as_matrix(out, 2));
           }});
}

}  // namespace mansard::kernels
