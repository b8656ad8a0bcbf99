// SPDX-License-Identifier: Apache-2.0
// Where the tensor cores of Blackwell want block scales: tiles of 128 rows x 4 scales, 512 bytes
// each, in which rows 32 apart lie side by side (cuBLAS documentation, "1D Block Scaling Factors
// Layout"). Tiles of the same 128 rows follow each other.
#pragma once

#include <cstdint>

namespace mansard::kernels::library {

inline constexpr std::int64_t kScaleTileRows = 128;
inline constexpr std::int64_t kScaleTileColumns = 4;

constexpr std::int64_t round_up(std::int64_t value, std::int64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

// Scales of `rows` x `columns` blocks; whole tiles are stored.
constexpr std::int64_t block_scale_bytes(std::int64_t rows, std::int64_t columns) {
  return round_up(rows, kScaleTileRows) * round_up(columns, kScaleTileColumns);
}

// Byte of the scale of block `column` in `row`, of `columns` blocks a row.
constexpr std::int64_t block_scale_offset(std::int64_t row, std::int64_t column,
                                          std::int64_t columns) {
  const std::int64_t tiles_per_row = round_up(columns, kScaleTileColumns) / kScaleTileColumns;
  const std::int64_t tile = row / kScaleTileRows * tiles_per_row + column / kScaleTileColumns;
  const std::int64_t row_in_tile = row % kScaleTileRows;
  return tile * kScaleTileRows * kScaleTileColumns + row_in_tile % 32 * 16 + row_in_tile / 32 * 4 +
         column % kScaleTileColumns;
}

}  // namespace mansard::kernels::library
