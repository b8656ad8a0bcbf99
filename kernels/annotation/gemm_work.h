// SPDX-License-Identifier: Apache-2.0
// FLOPs and least bytes of a GEMM, modeled from its dimensions and types. Nothing here was
// measured: bytes are those of each operand read or written once, a lower bound on the device
// memory traffic.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "kernels/annotation/work_annotation.h"

namespace mansard::kernels {

// The type of a tensor's elements. `precision` is the one in which tensor cores would multiply
// them; none for FP32, which may be multiplied as FP32 or TF32, and for integers above 8 bits.
struct ElementTypeInfo {
  double bytes = 0;
  std::optional<Precision> precision;
  int packed = 1;  // values per element: 2 for Float4_e2m1fn_x2
};

// By PyTorch's names, with or without "c10::": "c10::BFloat16", "float", "Float8_e4m3fn".
// std::nullopt: not the type of a tensor ("Scalar", "TensorList", "").
std::optional<ElementTypeInfo> find_element_type(std::string_view name);

// A GEMM D = A B + C, `batch` times. A is m x k, B is k x n, C and D are m x n.
struct Gemm {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  std::int64_t batch = 1;
  double a_bytes = 0;  // per element, block scales included; likewise for the others
  double b_bytes = 0;
  double c_bytes = 0;  // 0: C is not read
  double d_bytes = 0;
  std::optional<Precision> precision;  // none: the kernel's name decides
};

// 2 m n k FLOPs per GEMM, class "gemm", shape "MxNxK" or "BATCHxMxNxK". std::nullopt if a dimension
// is not positive.
std::optional<WorkAnnotation> gemm_work(std::string_view name, const Gemm& gemm);

}  // namespace mansard::kernels
