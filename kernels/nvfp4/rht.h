// SPDX-License-Identifier: Apache-2.0
// The random Hadamard transform (RHT) of the wgrad operands: x' = x * diag(signs) * H16 / 4. All
// layers and steps use the same sign vector, which is Transformer Engine's, so that operands can be
// compared with its operands bit for bit.
#pragma once

#include <cstdint>

namespace mansard::kernels::nvfp4 {

// Bit i set: sign i is negative. Encodes [1,1,1,-1,1,-1,-1,-1,-1,-1,-1,1,-1,1,-1,-1].
inline constexpr std::uint32_t kRhtNegative = 0b1101'0111'1110'1000;

// The sum of 16 values near BF16's maximum overflows FP32, and inf - inf would give NaN although
// the true result is finite. Dividing by 16 before the additions and multiplying by 4 after them is
// exact (a BF16 subnormal divided by 16 is still a multiple of FP32's smallest) and cannot overflow
// between the stages; only a result that is out of range becomes infinite.
inline constexpr float kRhtBefore = 0.0625f;
inline constexpr float kRhtAfter = 4.0f;

}  // namespace mansard::kernels::nvfp4
