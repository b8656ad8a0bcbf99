// SPDX-License-Identifier: Apache-2.0
// Generates the operand values of a data pattern one by one.
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

  // Code of the next value. Integers cover their whole range for uniform data, and up to four
  // standard deviations for normal data.
  template <typename Element>
  auto code() {
    if constexpr (Element::kInteger) {
      if (pattern_ == DataPattern::random_uniform) {
        return Element::encode((2 * (*this)() - 1) * Element::kMax);
      }
      return Element::encode((*this)() * (Element::kMax / 4));
    } else {
      return Element::encode((*this)());
    }
  }

  // Code of the next block scale; 1 for the zeros pattern.
  template <typename Scale>
  std::uint8_t scale() {
    if (pattern_ == DataPattern::zeros) return Scale::kOne;
    return static_cast<std::uint8_t>(
        std::uniform_int_distribution<int>(Scale::kFirst, Scale::kLast)(engine_));
  }

 private:
  DataPattern pattern_;
  std::mt19937_64 engine_;
  // Double precision, because FP64 operands must fill their mantissas.
  std::uniform_real_distribution<double> uniform_{0.0, 1.0};
  std::normal_distribution<double> normal_;
};

}  // namespace mansard::kernels
