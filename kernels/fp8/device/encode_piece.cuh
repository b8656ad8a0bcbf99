// SPDX-License-Identifier: Apache-2.0
// Converts a thread's elements from BF16 to FP8 by rows (to device memory) and by columns (to the
// staged tile), four rows at a time, so that unpacked values serve both.
#pragma once

#include "kernels/fp8/device/tile.cuh"

namespace mansard::kernels::fp8::device {

template <int kCols>
__device__ __forceinline__ void unpack(const std::uint32_t (&words)[kCols / 2],
                                       float (&values)[kCols]) {
#pragma unroll
  for (int i = 0; i < kCols / 2; ++i) {
    values[2 * i] = low_bf16(words[i]);
    values[2 * i + 1] = high_bf16(words[i]);
  }
}

// Moves byte (row r, column c) of four words to (row c, column r).
__device__ __forceinline__ void transpose_4x4(const std::uint32_t (&rows)[4],
                                              std::uint32_t (&columns)[4]) {
  const std::uint32_t left01 = __byte_perm(rows[0], rows[1], 0x5140);
  const std::uint32_t left23 = __byte_perm(rows[2], rows[3], 0x5140);
  const std::uint32_t right01 = __byte_perm(rows[0], rows[1], 0x7362);
  const std::uint32_t right23 = __byte_perm(rows[2], rows[3], 0x7362);
  columns[0] = __byte_perm(left01, left23, 0x5410);
  columns[1] = __byte_perm(left01, left23, 0x7632);
  columns[2] = __byte_perm(right01, right23, 0x5410);
  columns[3] = __byte_perm(right01, right23, 0x7632);
}

// Both directions share the scale and thus the codes, which are converted once.
template <Format F>
struct OneScale {
  float scale;

  template <int kCols>
  __device__ __forceinline__ void encode(const std::uint32_t (&words)[4][kCols / 2], int,
                                         std::uint32_t (&rows)[4][kCols / 4],
                                         std::uint32_t (&columns)[kCols]) const {
    float v[kCols];
#pragma unroll
    for (int r = 0; r < 4; ++r) {
      unpack<kCols>(words[r], v);
#pragma unroll
      for (int c = 0; c < kCols; c += 4) {
        rows[r][c / 4] = encode_four<F>(__fmul_rn(v[c], scale), __fmul_rn(v[c + 1], scale),
                                        __fmul_rn(v[c + 2], scale), __fmul_rn(v[c + 3], scale));
      }
    }
#pragma unroll
    for (int c = 0; c < kCols; c += 4) {
      const std::uint32_t square[4] = {rows[0][c / 4], rows[1][c / 4], rows[2][c / 4],
                                       rows[3][c / 4]};
      std::uint32_t turned[4];
      transpose_4x4(square, turned);
#pragma unroll
      for (int i = 0; i < 4; ++i) columns[c + i] = turned[i];
    }
  }
};

// Each direction has its own scales. row_scales(group, scales) returns those of rows 4 * group to 4
// * group + 3 of the piece.
template <Format F, int kCols, typename RowScales>
struct TwoScales {
  RowScales row_scales;
  float column_scales[kCols];

  __device__ __forceinline__ void encode(const std::uint32_t (&words)[4][kCols / 2], int group,
                                         std::uint32_t (&rows)[4][kCols / 4],
                                         std::uint32_t (&columns)[kCols]) const {
    float v[4][kCols];
    float scales[4];
    row_scales(group, scales);
#pragma unroll
    for (int r = 0; r < 4; ++r) {
      unpack<kCols>(words[r], v[r]);
#pragma unroll
      for (int c = 0; c < kCols; c += 4) {
        rows[r][c / 4] =
            encode_four<F>(__fmul_rn(v[r][c], scales[r]), __fmul_rn(v[r][c + 1], scales[r]),
                           __fmul_rn(v[r][c + 2], scales[r]), __fmul_rn(v[r][c + 3], scales[r]));
      }
    }
#pragma unroll
    for (int c = 0; c < kCols; ++c) {
      const float scale = column_scales[c];
      columns[c] = encode_four<F>(__fmul_rn(v[0][c], scale), __fmul_rn(v[1][c], scale),
                                  __fmul_rn(v[2][c], scale), __fmul_rn(v[3][c], scale));
    }
  }
};

// `out` is the whole row-wise result.
template <bool kAligned, int kRows, int kCols, typename Encoder>
__device__ __forceinline__ void encode_piece(const std::uint32_t (&words)[kRows][kCols / 2],
                                             const Encoder& encoder, const Tile& tile,
                                             const Piece<kRows, kCols>& piece, Shape shape,
                                             std::uint8_t* __restrict__ out,
                                             StagedColumns<kCols>& staged) {
  std::uint8_t* target = out + (tile.row + piece.row) * shape.cols + tile.col + piece.col;
#pragma unroll
  for (int first = 0; first < kRows; first += 16) {
    std::uint32_t columns[4][kCols];
#pragma unroll
    for (int group = 0; group < 4; ++group) {
      const int r = first + 4 * group;
      std::uint32_t four[4][kCols / 2];
#pragma unroll
      for (int i = 0; i < 4; ++i) {
#pragma unroll
        for (int w = 0; w < kCols / 2; ++w) four[i][w] = words[r + i][w];
      }
      std::uint32_t rows[4][kCols / 4];
      encoder.encode(four, r / 4, rows, columns[group]);
#pragma unroll
      for (int i = 0; i < 4; ++i) store_row<kAligned>(rows[i], r + i, piece, shape, target);
    }
#pragma unroll
    for (int c = 0; c < kCols; ++c) {
      staged.put(piece.row + first, piece.col + c,
                 {columns[0][c], columns[1][c], columns[2][c], columns[3][c]});
    }
  }
}

}  // namespace mansard::kernels::fp8::device
