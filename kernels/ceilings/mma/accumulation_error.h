// SPDX-License-Identifier: Apache-2.0
// Error bound of tensor-core sums relative to FP64. Tensor cores truncate the running sum to a
// number of fraction bits at every instruction, so the error may reach one unit of the largest sum
// per instruction. Twice that is allowed, because a sum can pass through values larger than its
// result. A wrong layout or a missing product causes an error as large as the values themselves.
#pragma once

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>

namespace mansard::kernels {

// Fraction bits that a sum keeps during one instruction.
inline constexpr int kFp16FractionBits = 10;
inline constexpr int kFp32FractionBits = 22;  // truncated, not rounded
// Hopper keeps about 13 bits when adding FP8 products (DeepSeek-V3 technical report, arXiv
// 2412.19437, section 3.5.2). Also used where no number is published.
inline constexpr int kFp8FractionBits = 13;
// FP64 is rounded after each of up to 16 products of an instruction, in the reference as well.
inline constexpr int kFp64FractionBits = 48;
inline constexpr int kExactFractionBits = 4096;  // integers: no error allowed

class AccumulationError {
 public:
  void add(double got, double expected) {
    finite_ = finite_ && std::isfinite(got);
    largest_ = std::max(largest_, std::fabs(expected));
    error_ = std::max(error_, std::fabs(got - expected));
  }

  // Returns an empty string if the largest error is allowed after `instructions` in a row.
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
