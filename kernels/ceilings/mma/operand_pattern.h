// SPDX-License-Identifier: Apache-2.0
// Operand values of a data pattern, one after another.
#pragma once

#include <cstdint>
#include <random>

#include "kernels/kernel.h"

namespace mansard::kernels {

class OperandPattern {
 public:
  OperandPattern(DataPattern pattern, std::uint64_t seed) : pattern_(pattern), engine_(seed) {}

  double operator()() {
    switch (pattern_) {
      case DataPattern::zeros:
        return 0.0;
      case DataPattern::random_uniform:
        return uniform_(engine_);
      case DataPattern::random_normal:
        return normal_(engine_);
    }
    return 0.0;
  }

  // The code of the next value. Integers are spread over their range: all of it for uniform data;
  // for normal data it ends at four standard deviations.
  template <typename Element>
  auto code() {
    if constexpr (Element::kInteger) {
      if (pattern_ == DataPattern::random_uniform) {
        return Element::encode((2 * (*this)() - 1) * Element::kLargest);
      }
      return Element::encode((*this)() * (Element::kLargest / 4));
    } else {
      return Element::encode((*this)());
    }
  }

  // The code of the next block scale: one for zeros.
  template <typename Scale>
  std::uint8_t scale() {
    if (pattern_ == DataPattern::zeros) return Scale::kOne;
    return static_cast<std::uint8_t>(
        std::uniform_int_distribution<int>(Scale::kFirst, Scale::kLast)(engine_));
  }

 private:
  DataPattern pattern_;
  std::mt19937_64 engine_;
  // Double precision: FP64 operands shall fill their mantissas.
  std::uniform_real_distribution<double> uniform_{0.0, 1.0};
  std::normal_distribution<double> normal_;
};

}  // namespace mansard::kernels
