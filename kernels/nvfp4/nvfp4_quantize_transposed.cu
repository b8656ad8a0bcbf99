// SPDX-License-Identifier: Apache-2.0
// Column-wise quantization: x^T in blocks of 16 along x's rows, optionally after the random
// Hadamard transform (operands of wgrad). The transformed matrix is never stored. 2.5625 B per
// element.
#include "kernels/nvfp4/device/strip_quantize.cuh"
#include "kernels/nvfp4/nvfp4.h"
#include "kernels/nvfp4/operation.h"
#include "kernels/nvfp4/reference.h"

namespace mansard::kernels::nvfp4 {

void quantize_transposed(const Bf16* x, Shape shape, const float* amax_t, Transform transform,
                         Matrix out, const Options& options, cudaStream_t stream) {
  QuantizeArguments a;
  a.x = x;
  a.shape = shape;
  a.amax_t = amax_t;
  a.out_t = out;
  a.random = options.random;
  a.layout = options.layout;
  constexpr const char* kWhat = "transposed quantize";
  if (transform == Transform::rht) {
    device::launch_strip_quantize<false, true, Transform::rht, false>(a, kWhat, stream);
  } else {
    device::launch_strip_quantize<false, true, Transform::none, false>(a, kWhat, stream);
  }
}

}  // namespace mansard::kernels::nvfp4

namespace mansard::kernels {

void register_nvfp4_quantize_transposed(KernelRegistry& registry) {
  using namespace nvfp4;
  OperationDefinition plain = {
      .name = "nvfp4_quantize_transposed",
      .summary = "Transpose of a BF16 matrix to NVFP4 (2.5625 B/element)",
      .traffic_bytes = traffic::quantize_transposed,
      .output_bytes = transposed_output_bytes,
      .launch =
          [](const Inputs& in, const Outputs& out, Shape shape, cudaStream_t stream) {
            quantize_transposed(in.x, shape, in.amax, Transform::none, as_matrix(out), {}, stream);
          },
      .reference =
          [](const Inputs& in, const Outputs& out, Shape shape) {
            reference::quantize_transposed(in.x, shape, *in.amax, Transform::none, as_matrix(out));
          }};
  add_operation(registry, plain);

  OperationDefinition rht = plain;
  rht.name = "nvfp4_quantize_transposed_rht";
  rht.summary = "Transpose of a BF16 matrix to NVFP4 after the RHT (2.5625 B/element)";
  rht.launch = [](const Inputs& in, const Outputs& out, Shape shape, cudaStream_t stream) {
    quantize_transposed(in.x, shape, in.amax_rht, Transform::rht, as_matrix(out), {}, stream);
  };
  rht.reference = [](const Inputs& in, const Outputs& out, Shape shape) {
    reference::quantize_transposed(in.x, shape, *in.amax_rht, Transform::rht, as_matrix(out));
  };
  add_operation(registry, rht);
}

}  // namespace mansard::kernels
