// SPDX-License-Identifier: Apache-2.0
// Random bits for stochastic rounding, identical on host and device: Philox4x32-10 (Salmon et al.,
// "Parallel Random Numbers: As Easy as 1, 2, 3", SC 2011), with counters derived from the element's
// position rather than from the order of execution. Each element has eight bits, as many as
// Blackwell's stochastic conversion takes. Rounding appends the eight bits of the neighbor in the
// block (index with the lowest bit flipped) as low bits, so that every element is rounded with 16
// uniform bits.
#pragma once

#include <cstdint>

#ifdef __CUDACC__
#define MANSARD_HOST_DEVICE __host__ __device__
#else
#define MANSARD_HOST_DEVICE
#endif

namespace mansard::kernels::nvfp4 {

// `offset` separates the tensors and steps of a training run.
struct RandomState {
  std::uint64_t seed = 0;
  std::uint64_t offset = 0;
};

struct Random128 {
  std::uint32_t word[4];
};

MANSARD_HOST_DEVICE constexpr Random128 philox4x32_10(Random128 counter, std::uint32_t key0,
                                                      std::uint32_t key1) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53u} * counter.word[0];
    const std::uint64_t b = std::uint64_t{0xCD9E8D57u} * counter.word[2];
    counter = {{static_cast<std::uint32_t>(b >> 32) ^ counter.word[1] ^ key0,
                static_cast<std::uint32_t>(b),
                static_cast<std::uint32_t>(a >> 32) ^ counter.word[3] ^ key1,
                static_cast<std::uint32_t>(a)}};
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  return counter;
}

// Random bits of a 2 x 8 patch of x: rows 2 * row_pair and 2 * row_pair + 1, columns 8 * octet to 8
// * octet + 7. Byte i of the 16 belongs to row i / 8 and column i % 8. x and x^T use the same bits
// for the same element, because they are operands of different GEMMs.
inline constexpr int kPatchRows = 2;
inline constexpr int kPatchCols = 8;
MANSARD_HOST_DEVICE constexpr Random128 random_patch(RandomState state, std::uint32_t row_pair,
                                                     std::uint32_t octet) {
  return philox4x32_10({{octet, row_pair, static_cast<std::uint32_t>(state.offset),
                         static_cast<std::uint32_t>(state.offset >> 32)}},
                       static_cast<std::uint32_t>(state.seed),
                       static_cast<std::uint32_t>(state.seed >> 32));
}

}  // namespace mansard::kernels::nvfp4
