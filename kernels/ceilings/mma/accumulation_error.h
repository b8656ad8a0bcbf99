// SPDX-License-Identifier: Apache-2.0
// How far tensor-core sums may be from FP64. The cores cut the running sum to a number of fraction
// bits at every instruction, so the error may reach one unit of the largest sum for each; twice
// that is allowed, as a sum can pass through larger values than it ends at. A wrong layout or a
// missing product is off by the size of the values themselves.
#pragma once

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>

namespace mansard::kernels {

// Fraction bits that a sum keeps through one instruction.
inline constexpr int kFp16FractionBits = 10;
inline constexpr int kFp32FractionBits = 22;  // truncated, not rounded
// Hopper keeps about 13 while it adds FP8 products (DeepSeek-V3 technical report, arXiv 2412.19437,
// section 3.5.2). Also allowed where nobody has published how many there are.
inline constexpr int kFp8FractionBits = 13;
// FP64 is rounded after each of up to 16 products of an instruction, and so is the reference.
inline constexpr int kFp64FractionBits = 48;
inline constexpr int kExactFractionBits = 4096;  // integers: no error is allowed

class AccumulationError {
 public:
  void add(double got, double expected) {
    finite_ = finite_ && std::isfinite(got);
    largest_ = std::max(largest_, std::fabs(expected));
    error_ = std::max(error_, std::fabs(got - expected));
  }

  // Empty when the largest error is allowed for `instructions` in a row.
  std::string judge(int instructions, int fraction_bits) const {
    if (!finite_) return "the result contains a value that is not finite";
    const double allowed = 2 * instructions * std::ldexp(largest_, -fraction_bits);
    if (error_ <= allowed) return "";
    std::ostringstream text;
    text << "largest error " << error_ << " in values up to " << largest_ << ", allowed "
         << allowed;
    return text.str();
  }

 private:
  bool finite_ = true;
  double error_ = 0;
  double largest_ = 0;
};

}  // namespace mansard::kernels
