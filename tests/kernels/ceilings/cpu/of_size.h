// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/kernel.h"

namespace mansard::kernels {

inline PrepareOptions of_size(std::int64_t bytes) {
  PrepareOptions options;
  options.shape = {bytes};
  return options;
}

}  // namespace mansard::kernels
