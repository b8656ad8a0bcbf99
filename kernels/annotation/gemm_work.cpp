// SPDX-License-Identifier: Apache-2.0
#include "kernels/annotation/gemm_work.h"

#include <algorithm>
#include <array>
#include <string>

namespace mansard::kernels {

std::optional<ElementTypeInfo> find_element_type(std::string_view name) {
  struct Named {
    std::string_view name;
    ElementTypeInfo type;
  };
  using enum Precision;
  static constexpr std::array kTypes = {
      Named{"BFloat16", {2, bf16}},
      Named{"Half", {2, fp16}},
      Named{"Float", {4, std::nullopt}},
      Named{"float", {4, std::nullopt}},
      Named{"Double", {8, fp64}},
      Named{"double", {8, fp64}},
      Named{"Float8_e4m3fn", {1, fp8_e4m3}},
      Named{"Float8_e4m3fnuz", {1, fp8_e4m3}},
      Named{"Float8_e5m2", {1, fp8_e5m2}},
      Named{"Float8_e5m2fnuz", {1, fp8_e5m2}},
      Named{"Float8_e8m0fnu", {1, std::nullopt}},
      Named{"Float4_e2m1fn_x2", {1, nvfp4, 2}},
      Named{"Byte", {1, std::nullopt}},
      Named{"unsigned char", {1, std::nullopt}},
      Named{"Char", {1, int8}},
      Named{"signed char", {1, int8}},
      Named{"Bool", {1, std::nullopt}},
      Named{"bool", {1, std::nullopt}},
      Named{"Short", {2, std::nullopt}},
      Named{"short", {2, std::nullopt}},
      Named{"Int", {4, std::nullopt}},
      Named{"int", {4, std::nullopt}},
      Named{"Long", {8, std::nullopt}},
      Named{"long", {8, std::nullopt}},
      Named{"long int", {8, std::nullopt}},
      Named{"ComplexFloat", {8, std::nullopt}},
      Named{"complex<float>", {8, std::nullopt}},
      Named{"ComplexDouble", {16, std::nullopt}},
      Named{"complex<double>", {16, std::nullopt}},
  };
  if (name.starts_with("c10::")) name.remove_prefix(5);
  const auto found = std::ranges::find(kTypes, name, &Named::name);
  return found == kTypes.end() ? std::nullopt : std::optional(found->type);
}

std::optional<WorkAnnotation> gemm_work(std::string_view name, const Gemm& gemm) {
  if (gemm.m < 1 || gemm.n < 1 || gemm.k < 1 || gemm.batch < 1) return std::nullopt;
  const auto m = static_cast<double>(gemm.m);
  const auto n = static_cast<double>(gemm.n);
  const auto k = static_cast<double>(gemm.k);
  const auto batch = static_cast<double>(gemm.batch);
  const double bytes =
      batch * (m * k * gemm.a_bytes + k * n * gemm.b_bytes + m * n * (gemm.c_bytes + gemm.d_bytes));
  WorkAnnotation work = modeled_work(name, "gemm", 2 * m * n * k * batch, bytes, gemm.precision);
  if (gemm.batch > 1) work.shape = std::to_string(gemm.batch) + 'x';
  work.shape +=
      std::to_string(gemm.m) + 'x' + std::to_string(gemm.n) + 'x' + std::to_string(gemm.k);
  return work;
}

}  // namespace mansard::kernels
