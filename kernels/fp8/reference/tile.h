// SPDX-License-Identifier: Apache-2.0
// A 128x128 tile on the host, zero-padded at the edges of the matrix. It contains whole blocks of
// every FP8 scheme, and its transpose is a tile of x^T.
#pragma once

#include <algorithm>
#include <cstring>

#include "kernels/device/vector_for.h"
#include "kernels/formats/bf16.h"
#include "kernels/formats/fp8_format.h"
#include "kernels/fp8/layout.h"

namespace mansard::kernels::fp8::reference {

inline constexpr int kTile = kBlock;

// Position of a tile in a matrix of shape `shape`, and the size of the part inside the matrix.
struct TilePlace {
  Shape shape;
  std::int64_t row, col;
  int rows, cols;

  TilePlace turned() const { return {shape.transposed(), col, row, cols, rows}; }
};

struct Tile {
  float values[kTile][kTile];
};

// Fills `tile` and its transpose `tile_t`.
inline void load_tile(const Bf16* x, const TilePlace& place, Tile& tile, Tile& tile_t) {
  std::memset(&tile, 0, sizeof tile);
  for (int r = 0; r < place.rows; ++r) {
    const Bf16* row = x + (place.row + r) * place.shape.cols + place.col;
    for (int c = 0; c < place.cols; ++c) tile.values[r][c] = bf16::to_float(row[c]);
  }
  // In pieces whose rows all stay in the L1 cache.
  constexpr int kPiece = 16;
  for (int first_r = 0; first_r < kTile; first_r += kPiece) {
    for (int first_c = 0; first_c < kTile; first_c += kPiece) {
      for (int c = first_c; c < first_c + kPiece; ++c) {
        for (int r = first_r; r < first_r + kPiece; ++r) tile_t.values[c][r] = tile.values[r][c];
      }
    }
  }
}

// As integers, magnitudes have the same order as their values, with NaN above infinity.
inline std::int32_t magnitude_bits(float x) { return std::bit_cast<std::int32_t>(x) & 0x7fffffff; }

inline float max_magnitude(const float* values, int count) {
  std::int32_t largest = 0;
  for (int i = 0; i < count; ++i) largest = std::max(largest, magnitude_bits(values[i]));
  return std::bit_cast<float>(largest);
}

inline float as_float(float x) { return x; }
inline float as_float(Bf16 x) { return bf16::to_float(x); }

template <Format F, typename T>
void encode_run(const T* values, std::int64_t count, float scale, std::uint8_t* codes) {
  for (std::int64_t i = 0; i < count; ++i) codes[i] = encode<F>(as_float(values[i]) * scale);
}

// Calls body(place, tile, tile_t) for every tile, on all cores.
template <typename Body>
void for_each_tile(const Bf16* x, Shape shape, const Body& body) {
  const std::int64_t strips = ceil_div(shape.cols, kTile);
  vector_parallel_for(ceil_div(shape.rows, kTile) * strips, [&](std::int64_t i) {
    const std::int64_t row = i / strips * kTile;
    const std::int64_t col = i % strips * kTile;
    const TilePlace place = {shape, row, col,
                             static_cast<int>(std::min<std::int64_t>(kTile, shape.rows - row)),
                             static_cast<int>(std::min<std::int64_t>(kTile, shape.cols - col))};
    Tile tile, tile_t;
    load_tile(x, place, tile, tile_t);
    body(place, tile, tile_t);
  });
}

}  // namespace mansard::kernels::fp8::reference
