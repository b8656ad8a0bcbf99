// SPDX-License-Identifier: Apache-2.0
// One reading of a BF16 matrix, its NVFP4 forms out: of the rows, of the columns (transposed, with
// or without the Hadamard transform), or both; with a scale for each 1x16 or each 16x16.
//
// Row results leave straight from registers, 128 bytes of codes a warp and row. Column results are
// gathered in shared memory: the eight warps' blocks of a column are 64 contiguous bytes of the
// transpose. Neighbouring blocks of threads lie along the rows, so that the L2 joins the runs of
// several of them before it writes them back; it also joins the short runs of row scales of the
// columns' neighbours, which run within the same wave.
#pragma once

#include "kernels/device/cuda_check.h"
#include "kernels/nvfp4/encode.cuh"
#include "kernels/nvfp4/plain_tile.cuh"
#include "kernels/nvfp4/strip.cuh"

namespace mansard::nvfp4::device {

inline constexpr int kBands = 8;  // warps, one below the other
inline constexpr int kStripThreads = 32 * kBands;
inline constexpr int kStripTileRows = kBands * kStripRows;

// Codes and scales of the tile's columns. A column's run of eight blocks is padded to nine, and
// columns of different threads begin at different bands, so that a warp's stores meet no bank
// twice.
struct ColumnStage {
  uint2 codes[kStripTileCols * (kBands + 1)];
  uint2 scales[kBands][32];  // of the eight columns of each thread of a warp

  static __device__ __forceinline__ int place(int column, int band) {
    return column * (kBands + 1) + (band ^ (column / (2 * kStripCols) % kBands));
  }

  __device__ __forceinline__ void write(const QuantizeArguments& a, std::int64_t row,
                                        std::int64_t col) const {
    const std::int64_t blocks = (a.shape.rows + 15) / 16;
    const std::int64_t first = row / 16;
    const int band = static_cast<int>(threadIdx.x) % kBands;
    auto* const out = reinterpret_cast<uint2*>(a.out_t.codes);
#pragma unroll
    for (int c = 0; c < kStripTileCols; c += kStripThreads / kBands) {
      const int column = c + static_cast<int>(threadIdx.x) / kBands;
      out[(col + column) * blocks + first + band] = codes[place(column, band)];
    }
    const auto* const bytes = reinterpret_cast<const std::uint8_t*>(scales);
    const int column = static_cast<int>(threadIdx.x);
    std::uint32_t word[2] = {0u, 0u};
#pragma unroll
    for (int b = 0; b < kBands; ++b) {
      word[b / 4] |= std::uint32_t{bytes[b * kStripTileCols + column]} << (8 * (b % 4));
    }
    if (a.layout == ScaleLayout::linear && blocks % 8 == 0) {
      reinterpret_cast<uint2*>(a.out_t.scales)[((col + column) * blocks + first) / 8] = {word[0],
                                                                                         word[1]};
      return;
    }
#pragma unroll
    for (int b = 0; b < kBands; ++b) {
      a.out_t.scales[scale_index(a.layout, blocks, col + column, first + b)] =
          static_cast<std::uint8_t>(word[b / 4] >> (8 * (b % 4)));
    }
  }
};

template <bool kRows, bool kCols, Transform kTransform, bool kSquare, bool kStochastic>
class StripQuantizer {
 public:
  __device__ __forceinline__ StripQuantizer(const QuantizeArguments& a, const Strip& strip,
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

  // Whether every block could be encoded; if not, the tile is to be done again.
  __device__ __forceinline__ bool fine() const { return fine_; }

  __device__ __forceinline__ void rows(const EncodeTable& table) {
    const std::int64_t blocks = (a_.shape.cols + 15) / 16;
    auto* const codes =
        reinterpret_cast<std::uint32_t*>(a_.out.codes) + row_ * 2 * blocks + col_ / 8;
    FastScale scale[2];
    if (kSquare) square_scale(table, scale[0], scale[1]);
#pragma unroll
    for (int i = 0; i < kStripRows; i += 2) {
      if (!kSquare) {
        std::uint32_t largest = join_maxima(max_pairs(strip_.row[i]), max_pairs(strip_.row[i + 1]));
        largest = __vmaxu2(largest, __shfl_xor_sync(0xffffffffu, largest, 1));
        scales_of(table, largest, scale[0], scale[1]);
      }
#pragma unroll
      for (int r = i; r < i + 2; ++r) {
        const uint4 v = strip_.row[r];
        const float x[8] = {low_bf16(v.x), high_bf16(v.x), low_bf16(v.y), high_bf16(v.y),
                            low_bf16(v.z), high_bf16(v.z), low_bf16(v.w), high_bf16(v.w)};
        codes[r * 2 * blocks] =
            encode(x, scale[r - i].encode, random_of_row(r, 0), random_of_row(r, 1));
      }
      // Of two rows' blocks, each of the two neighbours writes one scale.
      const int own = static_cast<int>(threadIdx.x) % 2;
      a_.out.scales[scale_index(a_.layout, blocks, row_ + i + own, col_ / 16)] =
          static_cast<std::uint8_t>(own == 0 ? scale[0].stored : scale[1].stored);
    }
  }

  __device__ __forceinline__ void columns(const EncodeTable& table, ColumnStage& stage) {
    const int band = static_cast<int>(threadIdx.x) / 32;
    const int lane = static_cast<int>(threadIdx.x) % 32;
    FastScale scale[2];
    if (kSquare) square_scale(table, scale[0], scale[1]);
    std::uint32_t stored[2] = {0u, 0u};
#pragma unroll
    for (int pair = 0; pair < kStripCols / 2; ++pair) {
      float x[2][16];
#pragma unroll
      for (int i = 0; i < 16; ++i) {
        x[0][i] = low_bf16(strip_.word(i, pair));
        x[1][i] = high_bf16(strip_.word(i, pair));
      }
      std::uint32_t largest = 0;  // of the two columns
      if (kTransform == Transform::rht) {
        std::uint32_t column[2] = {0u, 0u};
#pragma unroll
        for (int c = 0; c < 2; ++c) {
          std::uint32_t pairs[8];
          fast_rht16(x[c], pairs);
#pragma unroll
          for (int i = 0; i < 8; ++i) {
            column[c] = max_pairs(column[c], pairs[i]);
            x[c][2 * i] = low_bf16(pairs[i]);
            x[c][2 * i + 1] = high_bf16(pairs[i]);
          }
        }
        largest = join_maxima(column[0], column[1]);
      } else if (!kSquare) {
#pragma unroll
        for (int i = 0; i < 16; ++i) largest = max_pairs(largest, strip_.word(i, pair));
      }
      if (!kSquare) scales_of(table, largest, scale[0], scale[1]);
#pragma unroll
      for (int c = 0; c < 2; ++c) {
        const int j = 2 * pair + c;
        stage.codes[ColumnStage::place(lane * kStripCols + j, band)] =
            encode_column(x[c], scale[c].encode, j);
        stored[j / 4] |= scale[c].stored << (8 * (j % 4));
      }
    }
    stage.scales[band][lane] = {stored[0], stored[1]};
  }

 private:
  __device__ __forceinline__ void scales_of(const EncodeTable& table, std::uint32_t largest,
                                            FastScale& first, FastScale& second) {
    const float amax0 = low_bf16(largest);
    const float amax1 = high_bf16(largest);
    fast_scales(table, amax0, amax1, first, second);
    fine_ = fine_ && encodable(amax0, first) && encodable(amax1, second);
  }

  // Of the 16x16 that this thread and its neighbour hold.
  __device__ __forceinline__ void square_scale(const EncodeTable& table, FastScale& first,
                                               FastScale& second) {
    std::uint32_t largest = 0;
#pragma unroll
    for (int i = 0; i < kStripRows; ++i) largest = __vmaxu2(largest, max_pairs(strip_.row[i]));
    largest = join_maxima(largest, largest);
    largest = __vmaxu2(largest, __shfl_xor_sync(0xffffffffu, largest, 1));
    scales_of(table, largest, first, second);
  }

  static __device__ __forceinline__ std::uint32_t encode(const float (&x)[8], float scale,
                                                         std::uint32_t low, std::uint32_t high) {
    return kStochastic ? encode8(x, scale, low, high) : encode8(x, scale);
  }

  // Of columns 0 to 3, or 4 to 7, of row i.
  __device__ __forceinline__ std::uint32_t random_of_row(int i, int half) const {
    if constexpr (kStochastic) return random_[i / 2].word[i % 2 * 2 + half];
    return 0u;
  }

  // The random byte of row i and column j is byte j % 4 of a word of row i: bytes of four rows are
  // gathered into the word that encode() takes.
  __device__ __forceinline__ std::uint32_t random_of_column(int first_row, int j) const {
    if constexpr (kStochastic) {
      std::uint32_t of_row[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) of_row[i] = random_of_row(first_row + i, j / 4);
      const std::uint32_t take = static_cast<std::uint32_t>(j % 4) * 0x0011u + 0x0040u;
      const std::uint32_t low = __byte_perm(of_row[0], of_row[1], take);
      const std::uint32_t high = __byte_perm(of_row[2], of_row[3], take);
      return __byte_perm(low, high, 0x5410);
    }
    return 0;
  }

  __device__ __forceinline__ uint2 encode_column(const float (&x)[16], float scale, int j) const {
    const float first[8] = {x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7]};
    const float second[8] = {x[8], x[9], x[10], x[11], x[12], x[13], x[14], x[15]};
    return {encode(first, scale, random_of_column(0, j), random_of_column(4, j)),
            encode(second, scale, random_of_column(8, j), random_of_column(12, j))};
  }

  const QuantizeArguments& a_;
  const Strip& strip_;
  std::int64_t row_, col_;  // of the strip
  bool fine_ = true;
  Random128 random_[kStripRows / 2];
};

template <bool kRows, bool kCols, Transform kTransform, bool kSquare, bool kStochastic>
__global__ void __launch_bounds__(kStripThreads, 2)
    nvfp4_strip_quantize(const __grid_constant__ QuantizeArguments a) {
  const std::int64_t row = std::int64_t{blockIdx.x} * kStripTileRows;
  const std::int64_t col = std::int64_t{blockIdx.y} * kStripTileCols;
  const TileBounds tile = {row, col, kStripTileRows, kStripTileCols};
#if __CUDA_ARCH__ >= 890
  __shared__ EncodeTable table, table_t;
  __shared__ ColumnStage stage;
  const bool whole = row + kStripTileRows <= a.shape.rows && col + kStripTileCols <= a.shape.cols &&
                     a.shape.cols % kStripCols == 0;
  if (whole) {
    const std::int64_t strip_row = row + threadIdx.x / 32 * kStripRows;
    const std::int64_t strip_col = col + threadIdx.x % 32 * kStripCols;
    Strip strip;
    strip.load(a.x + strip_row * a.shape.cols + strip_col, a.shape.cols);
    if (kRows) table.fill(*a.amax);
    if (kCols && !kSquare) table_t.fill(*a.amax_t);
    __syncthreads();
    const EncodeTable& of_columns = kSquare ? table : table_t;
    StripQuantizer<kRows, kCols, kTransform, kSquare, kStochastic> quantizer(a, strip, strip_row,
                                                                             strip_col);
    if (kRows) quantizer.rows(table);
    if (kCols) quantizer.columns(of_columns, stage);
    const bool usable = (!kRows || table.usable()) && (!kCols || of_columns.usable());
    if (__syncthreads_and(quantizer.fine() && usable)) {
      if (kCols) stage.write(a, row, col);
      return;
    }
  }
#endif
  plain_tile<kRows, kCols, kTransform, kSquare>(a, tile);
}

inline void clear_padding(Matrix out, Shape shape, ScaleLayout layout, cudaStream_t stream) {
  if (scale_bytes(shape, layout) == scale_bytes(shape)) return;
  cuda_check(
      cudaMemsetAsync(out.scales, 0, static_cast<std::size_t>(scale_bytes(shape, layout)), stream),
      "clear the padding of scales");
}

template <bool kRows, bool kCols, Transform kTransform, bool kSquare>
void launch_strip_quantize(const QuantizeArguments& a, const char* what, cudaStream_t stream) {
  require_shape(what, a.shape);
  if (kRows) clear_padding(a.out, a.shape, a.layout, stream);
  if (kCols) clear_padding(a.out_t, a.shape.transposed(), a.layout, stream);
  const dim3 grid(static_cast<unsigned>((a.shape.rows + kStripTileRows - 1) / kStripTileRows),
                  static_cast<unsigned>((a.shape.cols + kStripTileCols - 1) / kStripTileCols));
  const auto kernel = a.random != nullptr
                          ? nvfp4_strip_quantize<kRows, kCols, kTransform, kSquare, true>
                          : nvfp4_strip_quantize<kRows, kCols, kTransform, kSquare, false>;
  kernel<<<grid, kStripThreads, 0, stream>>>(a);
  cuda_check(cudaGetLastError(), what);
}

}  // namespace mansard::nvfp4::device
