// SPDX-License-Identifier: Apache-2.0
// Quantizes a thread's strip in blocks along the rows and down the columns.
#pragma once

#include "kernels/nvfp4/device/column_stage.cuh"
#include "kernels/nvfp4/device/encode_nearest.cuh"
#include "kernels/nvfp4/device/encode_stochastic.cuh"
#include "kernels/nvfp4/device/nibble_transpose.cuh"
#include "kernels/nvfp4/device/quantize_arguments.h"
#include "kernels/nvfp4/device/strip_stage.cuh"

namespace mansard::kernels::nvfp4::device {

// Destination of a strip's rows: half a block of codes per row, and the scales of two rows, one
// stored by each of the two neighboring threads.
class RowTargets {
 public:
  __device__ __forceinline__ RowTargets(const QuantizeArguments& a, ScaleStage& scales,
                                        std::int64_t row, std::int64_t col)
      : scales_(scales) {
    codes_of_row_ = 8 * ((a.shape.cols + 15) / 16);
    codes_ = a.out.codes + row * codes_of_row_ + col / 2;
  }
  __device__ __forceinline__ void put_codes(std::uint32_t codes) {
    __stcs(reinterpret_cast<std::uint32_t*>(codes_), codes);
    codes_ += codes_of_row_;
  }
  // Stores the scales of rows `i` and i + 1 of the strip.
  __device__ __forceinline__ void put_scales(int i, std::uint32_t two) {
    const int own = lane_of_band() % 2;
    scales_.put(band_of_thread() * kStripRows + i + own, lane_of_band() / 2, two >> (8 * own));
  }

 private:
  ScaleStage& scales_;
  std::uint8_t* codes_;
  std::int64_t codes_of_row_;
};

template <Transform kTransform, bool kSquare, bool kStochastic>
class StripQuantizer {
 public:
  __device__ __forceinline__ StripQuantizer(const QuantizeArguments& a, StripStage& strip,
                                            std::int64_t row, std::int64_t col)
      : a_(a), strip_(strip), row_(row), col_(col) {
    if constexpr (kStochastic) {
      const RandomState state = *a.random;
#pragma unroll
      for (int i = 0; i < kStripRows / 2; ++i) {
        random_[i] = random_patch(state, static_cast<std::uint32_t>(row / 2 + i),
                                  static_cast<std::uint32_t>(col / 8));
      }
    }
  }

  // Finds the scale of the 16x16 tile held by this thread and its neighbor. Must be called first.
  __device__ __forceinline__ void find_square_scale(const EncodeTable& table) {
    std::uint32_t largest = 0;
#pragma unroll
    for (int i = 0; i < kStripRows; ++i) largest = __vmaxu2(largest, max_pairs(strip_.row(i)));
    largest = join_maxima(largest, largest);
    largest = __vmaxu2(largest, __shfl_xor_sync(0xffffffffu, largest, 1));
    per_amax_ = table.per_amax;
    square_ = scales_of(table, largest);
  }

  // Fetches each row of the next strip after reading the row of this one.
  __device__ __forceinline__ void rows(const EncodeTable& table, const NextStrip& next,
                                       ScaleStage& scales) {
    RowTargets to(a_, scales, row_, col_);
    const Bf16* from = next.x;
    per_amax_ = table.per_amax;
#pragma unroll kStochastic ? 8 : 1
    for (int i = 0; i < kStripRows; i += 2) {
      const uint4 v[2] = {strip_.row(i), strip_.row(i + 1)};
      TwoScales scale = square_;
      if (!kSquare) {
        std::uint32_t largest = join_maxima(max_pairs(v[0]), max_pairs(v[1]));
        largest = __vmaxu2(largest, __shfl_xor_sync(0xffffffffu, largest, 1));
        scale = scales_of(table, largest);
      }
      const std::uint32_t words[2][4] = {{v[0].x, v[0].y, v[0].z, v[0].w},
                                         {v[1].x, v[1].y, v[1].z, v[1].w}};
      std::uint32_t codes[2];
      if (!kStochastic && scale.clamps) {
        for (int r = 0; r < 2; ++r) codes[r] = encode8_clamping(words[r], scale.encode[r]);
      } else {
#pragma unroll
        for (int r = 0; r < 2; ++r) {
          codes[r] =
              encode(words[r], scale.encode[r], random_of_row(i + r, 0), random_of_row(i + r, 1));
        }
      }
      to.put_codes(codes[0]);
      to.put_codes(codes[1]);
      to.put_scales(i, scale.stored);
      if (next.x != nullptr) {
        strip_.fetch(i, from);
        strip_.fetch(i + 1, from + next.cols);
        from += 2 * next.cols;
      }
    }
  }

  // Quantizes 16x16 tiles in both directions, rounding to nearest. An element has the same code in
  // both directions, so the columns are the transposed rows. Fetches the next strip.
  __device__ __forceinline__ void square(const EncodeTable& table, const NextStrip& next,
                                         ScaleStage& scales, ColumnStage& stage) {
    find_square_scale(table);
    RowTargets to(a_, scales, row_, col_);
    std::uint32_t codes[2][8];
    const auto row = [&](int i, bool clamps) {
      const uint4 v = strip_.row(i);
      const std::uint32_t words[4] = {v.x, v.y, v.z, v.w};
      return clamps ? encode8_clamping(words, square_.encode[0])
                    : encode8(words, square_.encode[0]);
    };
    if (square_.clamps) {
#pragma unroll
      for (int i = 0; i < kStripRows; ++i) codes[i / 8][i % 8] = row(i, true);
    } else {
#pragma unroll
      for (int i = 0; i < kStripRows; ++i) codes[i / 8][i % 8] = row(i, false);
    }
#pragma unroll
    for (int i = 0; i < kStripRows; ++i) {
      to.put_codes(codes[i / 8][i % 8]);
      if (i % 2 == 1) to.put_scales(i - 1, square_.stored);
    }
    next.fetch_all(strip_);
    transpose_nibbles(codes[0]);
    transpose_nibbles(codes[1]);
    const int band = band_of_thread();
    const int lane = lane_of_band();
#pragma unroll
    for (int c = 0; c < kStripCols; ++c) {
      stage.codes[ColumnStage::place(lane, c) + band] = {codes[0][c], codes[1][c]};
    }
#pragma unroll
    for (int c = 0; c < kStripCols; ++c) {
      stage.scales.put(lane * kStripCols + c, band, square_.stored);
    }
  }

  // Returns false if a sum overflowed; the columns must then be recomputed.
  __device__ __forceinline__ bool columns(const EncodeTable& table, ColumnStage& stage) {
    const int band = band_of_thread();
    const int lane = lane_of_band();
    bool finite = true;
    per_amax_ = table.per_amax;
#pragma unroll 1
    for (int p = 0; p < kStripCols / 2; ++p) {
      const int pair = (p + static_cast<int>(threadIdx.x) % 32 / 8) % (kStripCols / 2);
      std::uint32_t words[16];
#pragma unroll
      for (int i = 0; i < 16; ++i) words[i] = strip_.word(i, pair);
      std::uint32_t column[2][8];  // pairs in each of the two columns
      if (kTransform == Transform::rht) {
        float x[2][16];
#pragma unroll
        for (int i = 0; i < 16; ++i) {
          x[0][i] = low_bf16(words[i]);
          x[1][i] = high_bf16(words[i]);
        }
        fast_rht16(x[0], column[0]);
        fast_rht16(x[1], column[1]);
      } else {
#pragma unroll
        for (int i = 0; i < 8; ++i) {
          column[0][i] = __byte_perm(words[2 * i], words[2 * i + 1], 0x5410);
          column[1][i] = __byte_perm(words[2 * i], words[2 * i + 1], 0x7632);
        }
      }
      std::uint32_t largest[2] = {0u, 0u};
#pragma unroll
      for (int c = 0; c < 2; ++c) {
#pragma unroll
        for (int i = 0; i < 8; ++i) {
          largest[c] = max_pairs(largest[c], column[c][i]);
        }
      }
      const std::uint32_t joined = join_maxima(largest[0], largest[1]);
      if (kTransform == Transform::rht) finite = finite && both_finite(joined);
      const TwoScales scale = kSquare ? square_ : scales_of(table, joined);
      uint2 codes[2];
      if (!kStochastic && scale.clamps) {
        for (int c = 0; c < 2; ++c) {
          codes[c] = halves(column[c], [&](const auto& words, int) {
            return encode8_clamping(words, scale.encode[c]);
          });
        }
      } else {
#pragma unroll
        for (int c = 0; c < 2; ++c) {
          codes[c] = halves(column[c], [&](const auto& words, int first) {
            return encode(words, scale.encode[c], random_of_column(first, pair, c),
                          random_of_column(first + 4, pair, c));
          });
        }
      }
#pragma unroll
      for (int c = 0; c < 2; ++c) {
        stage.codes[ColumnStage::place(lane, 2 * pair + c) + band] = codes[c];
        stage.scales.put(lane * kStripCols + 2 * pair + c, band, scale.stored >> (8 * c));
      }
    }
    return finite;
  }

 private:
  __device__ __forceinline__ TwoScales scales_of(const EncodeTable& table,
                                                 std::uint32_t largest) const {
    return fast_scales(table, per_amax_, low_bf16(largest), high_bf16(largest));
  }

  static __device__ __forceinline__ bool both_finite(std::uint32_t magnitudes) {
    return max(magnitudes & 0xffffu, magnitudes >> 16) < 0x7f80u;
  }

  static __device__ __forceinline__ std::uint32_t encode(const std::uint32_t (&words)[4],
                                                         float scale, std::uint32_t low,
                                                         std::uint32_t high) {
    return kStochastic ? encode8(words, scale, low, high) : encode8(words, scale);
  }

  // encode(words, first element) for both halves of a block.
  template <typename Encode>
  static __device__ __forceinline__ uint2 halves(const std::uint32_t (&pairs)[8],
                                                 const Encode& encode) {
    const std::uint32_t first[4] = {pairs[0], pairs[1], pairs[2], pairs[3]};
    const std::uint32_t second[4] = {pairs[4], pairs[5], pairs[6], pairs[7]};
    return {encode(first, 0), encode(second, 8)};
  }

  // Random bytes of columns 0 to 3, or 4 to 7, of row i.
  __device__ __forceinline__ std::uint32_t random_of_row(int i, int half) const {
    if constexpr (kStochastic) return random_[i / 2].word[i % 2 * 2 + half];
    return 0u;
  }

  // The random byte of row i and column j is byte j % 4 of a word of row i. Gathers the bytes of
  // four rows into the word that encode() takes.
  __device__ __forceinline__ std::uint32_t random_of_column(int first_row, int pair, int c) const {
    if constexpr (kStochastic) {
      std::uint32_t of_row[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        of_row[i] = pair < 2 ? random_of_row(first_row + i, 0) : random_of_row(first_row + i, 1);
      }
      const std::uint32_t take = static_cast<std::uint32_t>(pair % 2 * 2 + c) * 0x0011u + 0x0040u;
      const std::uint32_t low = __byte_perm(of_row[0], of_row[1], take);
      const std::uint32_t high = __byte_perm(of_row[2], of_row[3], take);
      return __byte_perm(low, high, 0x5410);
    }
    return 0;
  }

  const QuantizeArguments& a_;
  StripStage& strip_;
  std::int64_t row_, col_;  // position of the strip
  float per_amax_ = 0;
  TwoScales square_{};
  Random128 random_[kStripRows / 2];
};

}  // namespace mansard::kernels::nvfp4::device
