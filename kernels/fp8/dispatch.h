// SPDX-License-Identifier: Apache-2.0
// Dispatch from a run-time format to code compiled for that format.
#pragma once

#include <type_traits>

#include "kernels/fp8/layout.h"

namespace mansard::kernels::fp8 {

// Calls body(std::integral_constant<Format, F>) with F == format.
template <typename Body>
void for_format(Format format, const Body& body) {
  if (format == Format::e4m3) {
    body(std::integral_constant<Format, Format::e4m3>{});
  } else {
    body(std::integral_constant<Format, Format::e5m2>{});
  }
}

}  // namespace mansard::kernels::fp8
