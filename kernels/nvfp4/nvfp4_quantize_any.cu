// SPDX-License-Identifier: Apache-2.0
// Quantization of FP16 and FP32, and of any type with an untuned Hadamard transform. In both
// directions from FP32: 4 + 2 * (0.5 + 1/16) = 5.125 B per element.
#include "kernels/nvfp4/device/float_quantize.cuh"
#include "kernels/nvfp4/device/strip_quantize.cuh"  // clear_padding()
#include "kernels/nvfp4/nvfp4.h"
#include "kernels/nvfp4/operation.h"
#include "kernels/nvfp4/reference.h"

namespace mansard::kernels::nvfp4 {
namespace {

// Results whose matrix is {} are skipped.
void quantize(const char* what, Input x, Shape shape, const float* amax, const float* amax_t,
              const Hadamard& hadamard, bool square, Matrix out, Matrix out_t,
              const Options& options, cudaStream_t stream) {
  require_shape(what, shape);
  require_hadamard(what, hadamard);
  if (out.codes != nullptr) device::clear_padding(out, shape, options.layout, stream);
  if (out_t.codes != nullptr) {
    device::clear_padding(out_t, shape.transposed(), options.layout, stream);
  }
  for_element_type(x, [&]<typename T>(const T* data) {
    const QuantizeArgumentsOf<T> a = {data, shape, amax,           amax_t,
                                      out,  out_t, options.random, options.layout};
    device::launch_quantize_any(a, hadamard, square, what, stream);
  });
}

// x if it has the element type of the tuned kernels.
const Bf16* tuned(Input x) {
  return x.type == ElementType::bf16 ? static_cast<const Bf16*>(x.data) : nullptr;
}

}  // namespace

void quantize_1x16(Input x, Shape shape, const float* amax, Matrix out, const Options& options,
                   cudaStream_t stream) {
  if (const Bf16* const bf16 = tuned(x)) {
    return quantize_1x16(bf16, shape, amax, out, options, stream);
  }
  quantize("quantize 1x16", x, shape, amax, nullptr, Transform::none, false, out, {}, options,
           stream);
}

void quantize_transposed(Input x, Shape shape, const float* amax_t, const Hadamard& hadamard,
                         Matrix out, const Options& options, cudaStream_t stream) {
  const std::optional<Transform> transform = hadamard.known();
  if (const Bf16* const bf16 = tuned(x); bf16 != nullptr && transform) {
    return quantize_transposed(bf16, shape, amax_t, *transform, out, options, stream);
  }
  quantize("transposed quantize", x, shape, nullptr, amax_t, hadamard, false, {}, out, options,
           stream);
}

void quantize_both(Input x, Shape shape, const float* amax, const float* amax_t,
                   const Hadamard& hadamard, Matrix out, Matrix out_t, const Options& options,
                   cudaStream_t stream) {
  const std::optional<Transform> transform = hadamard.known();
  if (const Bf16* const bf16 = tuned(x); bf16 != nullptr && transform) {
    return quantize_both(bf16, shape, amax, amax_t, *transform, out, out_t, options, stream);
  }
  quantize("quantize rows and columns", x, shape, amax, amax_t, hadamard, false, out, out_t,
           options, stream);
}

void quantize_16x16(Input x, Shape shape, const float* amax, Matrix out, Matrix out_t,
                    const Options& options, cudaStream_t stream) {
  if (const Bf16* const bf16 = tuned(x)) {
    return quantize_16x16(bf16, shape, amax, out, out_t, options, stream);
  }
  quantize("quantize 16x16", x, shape, amax, amax, Transform::none, true, out, out_t, options,
           stream);
}

}  // namespace mansard::kernels::nvfp4

namespace mansard::kernels {
namespace {

using namespace nvfp4;

template <ElementType kType>
OperationDefinition rows(const char* name, const char* summary) {
  return {.name = name,
          .summary = summary,
          .traffic_bytes = [](Shape s) { return traffic::quantize(s, element_bytes(kType)); },
          .output_bytes = matrix_output_bytes,
          .launch =
              [](const Inputs& in, const Outputs& out, Shape shape, cudaStream_t stream) {
                quantize_1x16(in.input, shape, in.amax, as_matrix(out), {}, stream);
              },
          .reference =
              [](const Inputs& in, const Outputs& out, Shape shape) {
                reference::quantize_1x16(in.input, shape, *in.amax, as_matrix(out));
              },
          .element = kType};
}

template <ElementType kType>
OperationDefinition both(const char* name, const char* summary) {
  return {.name = name,
          .summary = summary,
          .traffic_bytes = [](Shape s) { return traffic::quantize_both(s, element_bytes(kType)); },
          .output_bytes = both_output_bytes,
          .launch =
              [](const Inputs& in, const Outputs& out, Shape shape, cudaStream_t stream) {
                quantize_both(in.input, shape, in.amax, in.amax_rht, Hadamard(), as_matrix(out),
                              as_matrix(out, 2), {}, stream);
              },
          .reference =
              [](const Inputs& in, const Outputs& out, Shape shape) {
                reference::quantize_1x16(in.input, shape, *in.amax, as_matrix(out));
                reference::quantize_transposed(in.input, shape, *in.amax_rht, Hadamard(),
                                               as_matrix(out, 2));
              },
          .element = kType};
}

}  // namespace

void register_nvfp4_quantize_any(KernelRegistry& registry) {
  constexpr auto kFp16 = ElementType::fp16;
  constexpr auto kFp32 = ElementType::fp32;
  add_operation(registry,
                rows<kFp16>("nvfp4_quantize_1x16_fp16",
                            "FP16 to NVFP4, one scale per 1x16 block (2.5625 B/element)"));
  add_operation(registry,
                rows<kFp32>("nvfp4_quantize_1x16_fp32",
                            "FP32 to NVFP4, one scale per 1x16 block (4.5625 B/element)"));
  add_operation(registry, both<kFp16>("nvfp4_quantize_both_rht_fp16",
                                      "FP16 to NVFP4, row-wise, and column-wise after the RHT "
                                      "(3.125 B/element)"));
  add_operation(registry, both<kFp32>("nvfp4_quantize_both_rht_fp32",
                                      "FP32 to NVFP4, row-wise, and column-wise after the RHT "
                                      "(5.125 B/element)"));
}

}  // namespace mansard::kernels
