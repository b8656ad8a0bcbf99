// SPDX-License-Identifier: Apache-2.0
// An NVFP4 input matrix of any element type, and the dispatch from its run-time type to code
// compiled for that type.
#pragma once

#include "kernels/formats/bf16.h"
#include "kernels/formats/half.h"

namespace mansard::kernels::nvfp4 {

enum class ElementType : std::uint8_t { bf16, fp16, fp32 };

constexpr std::int64_t element_bytes(ElementType type) { return type == ElementType::fp32 ? 4 : 2; }

// Pointer to the first element, and its type. Converts implicitly from typed pointers, so that
// functions that take an Input are called like overloads for each type.
struct Input {
  constexpr Input(const Bf16* x) : data(x), type(ElementType::bf16) {}
  constexpr Input(const Half* x) : data(x), type(ElementType::fp16) {}
  constexpr Input(const float* x) : data(x), type(ElementType::fp32) {}
  constexpr Input(const void* x, ElementType of) : data(x), type(of) {}

  const void* data;
  ElementType type;
};

// Calls body(pointer to the first element).
template <typename Body>
auto for_element_type(Input x, const Body& body) {
  switch (x.type) {
    case ElementType::bf16:
      return body(static_cast<const Bf16*>(x.data));
    case ElementType::fp16:
      return body(static_cast<const Half*>(x.data));
    case ElementType::fp32:
      break;
  }
  return body(static_cast<const float*>(x.data));
}

}  // namespace mansard::kernels::nvfp4
