// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kernels/nvfp4/device/encode.cuh"

namespace mansard::kernels::nvfp4::device {

// Transposes eight rows of eight nibbles: nibble i of row j and nibble j of row i are swapped.
// Three steps swap half-words, bytes and nibbles, with half an instruction per nibble.
__device__ __forceinline__ void transpose_nibbles(std::uint32_t (&rows)[8]) {
  std::uint32_t halves[8];  // rows i and i + 4 of four columns
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    halves[i] = __byte_perm(rows[i], rows[i + 4], 0x5410);
    halves[i + 4] = __byte_perm(rows[i], rows[i + 4], 0x7632);
  }
#pragma unroll
  for (int four = 0; four < 8; four += 4) {
#pragma unroll
    for (int two = 0; two < 2; ++two) {
      // Rows 0, 2, 4, 6 and 1, 3, 5, 7 of two columns.
      const int take = two == 0 ? 0x6240 : 0x7351;
      const std::uint32_t even = __byte_perm(halves[four], halves[four + 2], take);
      const std::uint32_t odd = __byte_perm(halves[four + 1], halves[four + 3], take);
      rows[four + 2 * two] = select<0x0f0f0f0fu>(even, odd << 4);
      rows[four + 2 * two + 1] = select<0x0f0f0f0fu>(even >> 4, odd);
    }
  }
}

}  // namespace mansard::kernels::nvfp4::device
