// SPDX-License-Identifier: Apache-2.0
// Packs 16x16 values, given the factors of their blocks, into codes along the rows or the columns.
#pragma once

#include "kernels/nvfp4/reference.h"
#include "kernels/nvfp4/reference/tile.h"

namespace mansard::kernels::nvfp4::reference {

using Tile = float[kBlock][kBlock];
using ByteTile = std::uint8_t[kBlock][kBlock];

enum class Direction { rows, columns };

// Random byte of each element of the tile that starts at (row, col), both multiples of 16.
inline void draw(RandomState state, std::int64_t row, std::int64_t col, ByteTile& bytes) {
  for (int r = 0; r < kBlock; r += kPatchRows) {
    for (int c = 0; c < kBlock; c += kPatchCols) {
      const Random128 bits = random_patch(state, static_cast<std::uint32_t>((row + r) / kPatchRows),
                                          static_cast<std::uint32_t>((col + c) / kPatchCols));
      for (int i = 0; i < kPatchRows * kPatchCols; ++i) {
        bytes[r + i / kPatchCols][c + i % kPatchCols] =
            static_cast<std::uint8_t>(bits.word[i / 4] >> (i % 4 * 8));
      }
    }
  }
}

// Maximum magnitude of each block of the tile.
template <Direction kDirection>
void block_maxima(const Tile& values, float (&maxima)[kBlock]) {
  std::int32_t largest[kBlock] = {};
  for (int r = 0; r < kBlock; ++r) {
    for (int c = 0; c < kBlock; ++c) {
      std::int32_t& of_block = largest[kDirection == Direction::rows ? r : c];
      of_block = std::max(of_block, magnitude_bits(values[r][c]));
    }
  }
  for (int i = 0; i < kBlock; ++i) maxima[i] = std::bit_cast<float>(largest[i]);
}

// Same width as the values they are computed from, so that both fit in the same vectors.
using CodeTile = std::uint32_t[kBlock][kBlock];

// codes[r][c] of values[r][c]; encode[i] is the factor of block i. The rounding clamps to +-6.
// `random` is nullptr for rounding to nearest.
template <Direction kDirection>
void encode_tile(const Tile& values, const float (&encode)[kBlock], const ByteTile* random,
                 CodeTile& codes) {
  constexpr bool kRows = kDirection == Direction::rows;
  for (int r = 0; r < kBlock; ++r) {
    if (random == nullptr) {
      for (int c = 0; c < kBlock; ++c) {
        codes[r][c] = to_e2m1(values[r][c] * encode[kRows ? r : c]);
      }
      continue;
    }
    // The element's own byte above the byte of its neighbor in the block.
    std::uint16_t bits[kBlock];
    for (int c = 0; c < kBlock; ++c) {
      const std::uint8_t neighbor = kRows ? (*random)[r][c ^ 1] : (*random)[r ^ 1][c];
      bits[c] = static_cast<std::uint16_t>((*random)[r][c] << 8 | neighbor);
    }
    for (int c = 0; c < kBlock; ++c) {
      codes[r][c] = to_e2m1_stochastic(values[r][c], encode[kRows ? r : c], bits[c]);
    }
  }
}

// Packs the 16 codes of a block into two words, the first code in the lowest nibble.
using PackedTile = std::uint32_t[2][kBlock];
template <Direction kDirection>
void pack(const CodeTile& codes, PackedTile& packed) {
  for (int half = 0; half < 2; ++half) {
    std::uint32_t words[kBlock] = {};
    for (int i = 0; i < kBlock / 2; ++i) {
      const int at = half * kBlock / 2 + i;
      for (int b = 0; b < kBlock; ++b) {
        words[b] |= (kDirection == Direction::rows ? codes[b][at] : codes[at][b]) << (4 * i);
      }
    }
    std::copy(words, words + kBlock, packed[half]);
  }
}

// Stores bytes in the order of the format, for any endianness of the CPU.
inline void store_word(std::uint32_t word, std::uint8_t* to) {
  for (int i = 0; i < 4; ++i) to[i] = static_cast<std::uint8_t>(word >> (8 * i));
}

}  // namespace mansard::kernels::nvfp4::reference
