// SPDX-License-Identifier: Apache-2.0
// From a format chosen at run time to code compiled for it.
#pragma once

#include <type_traits>

#include "kernels/fp8/layout.h"

namespace mansard::kernels::fp8 {

// body(std::integral_constant<Format, F>) with F == format.
template <typename Body>
void for_format(Format format, const Body& body) {
  if (format == Format::e4m3) {
    body(std::integral_constant<Format, Format::e4m3>{});
  } else {
    body(std::integral_constant<Format, Format::e5m2>{});
  }
}

}  // namespace mansard::kernels::fp8
