// SPDX-License-Identifier: Apache-2.0
// Accumulators of a tensor core: the register type of a lane, the number of sums per register, and
// the decoding of results in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/ceilings/mma/element_formats.h"

namespace mansard::kernels {

template <typename T>
struct Accumulators {
  using Register = T;
  static constexpr int kPerRegister = 1;
  static double at(const std::vector<T>& d, std::size_t i) { return static_cast<double>(d[i]); }
};

using Fp32Accumulators = Accumulators<float>;
using Int32Accumulators = Accumulators<std::int32_t>;
using Fp64Accumulators = Accumulators<double>;

// Two adjacent columns per register, the first in the low half.
struct Fp16Accumulators {
  using Register = std::uint32_t;
  static constexpr int kPerRegister = 2;
  static double at(const std::vector<Register>& d, std::size_t i) {
    return element::Fp16::decode((d[i / 2] >> (16 * (i % 2))) & 0xffff);
  }
};

}  // namespace mansard::kernels
