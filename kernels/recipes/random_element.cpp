// SPDX-License-Identifier: Apache-2.0
#include "kernels/recipes/random_element.h"

#include "kernels/ceilings/mma/element_formats.h"

namespace mansard::kernels {

double element_value(ElementFormat format, std::uint64_t bits) {
  const auto code = static_cast<std::uint32_t>(bits);
  switch (format) {
    case ElementFormat::fp64:
      return std::bit_cast<double>(bits);
    case ElementFormat::fp32:
    case ElementFormat::tf32:
      return double{std::bit_cast<float>(code)};
    case ElementFormat::fp16:
      return element::Fp16::decode(code);
    case ElementFormat::bf16:
      return element::Bf16::decode(code);
    case ElementFormat::fp8_e4m3:
    case ElementFormat::scale_e4m3:
      return element::E4m3::decode(code);
    case ElementFormat::int8:
      return element::Int8::decode(code);
    case ElementFormat::int32:
      return static_cast<std::int32_t>(code);
    case ElementFormat::fp4_e2m1:
      return element::E2m1::decode(code);
    case ElementFormat::scale_e8m0:
      return element::Ue8m0::decode(static_cast<std::uint8_t>(code));
  }
  return 0;
}

}  // namespace mansard::kernels
