// SPDX-License-Identifier: Apache-2.0
// Common parts of the quantization plug-ins: buffers, rotation over them, and the comparison with
// the host reference. A kernel's own file contains only its specifics.
#pragma once

#include <cstdint>
#include <vector>

#include <cuda_runtime_api.h>

#include "kernels/kernel.h"
#include "kernels/nvfp4/input.h"
#include "kernels/nvfp4/layout.h"
#include "kernels/nvfp4/nvfp4.h"

namespace mansard::kernels::nvfp4 {

// The arguments available to an operation, on the host (reference) or on the device (launch).
struct Inputs {
  Input input;                      // x, in the operation's element type
  const Bf16* x = nullptr;          // x if its element type is BF16
  const float* amax = nullptr;      // amax of x
  const float* amax_rht = nullptr;  // amax of RHT(x^T)
  Matrix quantized;                 // x in blocks of 1x16; set if needs_quantized
  const RandomState* random = nullptr;
  AmaxScratch* scratch = nullptr;  // device only
};
using Outputs = std::vector<std::uint8_t*>;

struct OperationDefinition {
  const char* name;
  const char* summary;
  bool needs_quantized = false;
  std::int64_t (*traffic_bytes)(Shape);
  std::vector<std::int64_t> (*output_bytes)(Shape);
  void (*launch)(const Inputs&, const Outputs&, Shape, cudaStream_t);
  void (*reference)(const Inputs&, const Outputs&, Shape);
  Precision precision = Precision::nvfp4;
  ElementType element = ElementType::bf16;
};

// Registers `definition` as a kernel with role `operation` and memory tier `hbm`.
void add_operation(KernelRegistry& registry, const OperationDefinition& definition);

inline std::vector<std::int64_t> matrix_output_bytes(Shape s) {
  return {code_bytes(s), scale_bytes(s)};
}
inline std::vector<std::int64_t> transposed_output_bytes(Shape s) {
  return matrix_output_bytes(s.transposed());
}
inline std::vector<std::int64_t> both_output_bytes(Shape s) {
  return {code_bytes(s), scale_bytes(s), code_bytes(s.transposed()), scale_bytes(s.transposed())};
}
inline Matrix as_matrix(const Outputs& outputs, std::size_t first = 0) {
  return {outputs[first], outputs[first + 1]};
}
inline float* as_float(const Outputs& outputs, std::size_t i) {
  return reinterpret_cast<float*>(outputs[i]);
}
inline Bf16* as_bf16(const Outputs& outputs, std::size_t i) {
  return reinterpret_cast<Bf16*>(outputs[i]);
}

}  // namespace mansard::kernels::nvfp4
