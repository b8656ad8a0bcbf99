// SPDX-License-Identifier: Apache-2.0
#include "kernels/nvfp4/hadamard.h"

#include <bit>
#include <stdexcept>
#include <string>

namespace mansard::kernels::nvfp4 {

Hadamard Hadamard::random(int size, std::uint64_t seed) {
  Hadamard hadamard(Transform::none);
  hadamard.size = size;
  require_hadamard("make a random Hadamard transform", hadamard, 4);
  constexpr std::uint32_t kOnes = 0xffffffff;
  const Random128 bits =
      philox4x32_10({{kOnes, kOnes, kOnes, kOnes}}, static_cast<std::uint32_t>(seed),
                    static_cast<std::uint32_t>(seed >> 32));
  for (int word = 0; word < 4; ++word) {
    const int signs = size - 32 * word;
    if (signs <= 0) break;
    hadamard.negative[word] = bits.word[word] & (signs >= 32 ? kOnes : (1u << signs) - 1);
  }
  return hadamard;
}

void require_hadamard(const char* operation, const Hadamard& hadamard, int smallest) {
  const int size = hadamard.size;
  const bool known = size == 1 || (size >= 4 && size <= Hadamard::kMaxSize &&
                                   std::has_single_bit(static_cast<unsigned>(size)));
  if (known && size >= smallest) return;
  throw std::invalid_argument(std::string(operation) + " with a Hadamard transform of size " +
                              std::to_string(size) + ": the size must be 4, 8, 16, 32, 64 or 128" +
                              (smallest > 1 ? "." : ", or 1 for no transform."));
}

}  // namespace mansard::kernels::nvfp4
