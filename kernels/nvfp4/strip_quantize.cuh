// SPDX-License-Identifier: Apache-2.0
// One reading of a BF16 matrix, its NVFP4 forms out: of the rows, of the columns (transposed, with
// or without the Hadamard transform), or both; with a scale for each 1x16 or each 16x16.
//
// Row results leave straight from registers, 128 bytes of codes a warp and row. Column results are
// gathered in shared memory: the four warps' blocks of a column are 32 contiguous bytes, a sector,
// of the transpose. A block of threads stays and takes tile after tile, first along the rows: so
// the tables of scales are filled once, the next tile is on its way while this one is written, and
// the L2 joins the sectors and the short runs of scales of neighbouring tiles, which are in work at
// the same time, before it writes them back.
#pragma once

#include <algorithm>
#include <type_traits>

#include "kernels/device/cuda_check.h"
#include "kernels/device/resident_blocks.h"
#include "kernels/nvfp4/encode.cuh"
#include "kernels/nvfp4/plain_tile.cuh"
#include "kernels/nvfp4/strip.cuh"

namespace mansard::nvfp4::device {

inline constexpr int kBands = 4;  // warps, one below the other
inline constexpr int kStripThreads = 32 * kBands;
inline constexpr int kStripTileRows = kBands * kStripRows;

// Codes and scales of the tile's columns, those of one column of every strip together: the lanes of
// a warp, whose columns are a strip apart, then store to neighbouring places, and what leaves,
// whole columns of neighbours, lies a few banks apart.
struct ColumnStage {
  static constexpr int kLane = kBands + 1;
  static constexpr int kColumn = 32 * kLane + kBands;
  uint2 codes[kStripCols * kColumn];
  uint2 scales[kBands][32];  // of the eight columns of each thread of a warp

  static __device__ __forceinline__ int place(int lane, int column) {
    return column * kColumn + lane * kLane;
  }

  __device__ __forceinline__ void write(const QuantizeArguments& a, std::int64_t row,
                                        std::int64_t col) const {
    const std::int64_t blocks = (a.shape.rows + 15) / 16;
    const int thread = static_cast<int>(threadIdx.x);
    constexpr int kStep = kStripThreads / kBands;  // columns at a time
    static_assert(kStep % kStripCols == 0);
    const int column = thread / kBands;
    const uint2* from = codes + place(column / kStripCols, column % kStripCols) + thread % kBands;
    auto* to = reinterpret_cast<uint2*>(a.out_t.codes) + (col + column) * blocks + row / 16 +
               thread % kBands;
    const std::int64_t step = kStep * blocks;
#pragma unroll
    for (int i = 0; i < kStripTileCols / kStep; ++i) {
      *to = from[i * (kStep / kStripCols) * kLane];
      to += step;
    }
    const auto* const bytes = reinterpret_cast<const std::uint8_t*>(scales);
    static_assert(kBands == 4);  // the scales of a column are a word
#pragma unroll
    for (int i = 0; i < kStripTileCols / kStripThreads; ++i) {
      const int c = i * kStripThreads + thread;
      std::uint32_t word = 0;
#pragma unroll
      for (int b = 0; b < kBands; ++b) {
        word |= std::uint32_t{bytes[b * kStripTileCols + c]} << (8 * b);
      }
      std::uint8_t* const target =
          a.out_t.scales + scale_index(a.layout, blocks, col + c, row / 16);
      if (a.layout == ScaleLayout::tiled || blocks % kBands == 0) {
        *reinterpret_cast<std::uint32_t*>(target) = word;
      } else {
#pragma unroll
        for (int b = 0; b < kBands; ++b) target[b] = static_cast<std::uint8_t>(word >> (8 * b));
      }
    }
  }
};

// A tile of x in shared memory, fetched in the background. Every thread fetches what it alone
// reads, 16 rows of eight columns, so that nobody waits for another; and loops over rows and
// columns can stay loops, which registers do not allow: unrolled, the code outgrows the instruction
// cache.
struct StripStage {
  uint4 words[kBands][kStripRows][32];

  __device__ __forceinline__ uint4& row(int i) {
    return words[threadIdx.x / 32][i][threadIdx.x % 32];
  }
  // Columns 2 * pair and the next of row i. The lanes of a warp are to take pairs that differ from
  // one eight of them to the next: then they meet in no bank.
  __device__ __forceinline__ std::uint32_t word(int i, int pair) {
    return reinterpret_cast<const std::uint32_t*>(&row(i))[pair];
  }
  __device__ __forceinline__ void fetch(int i, const Bf16* x) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                     static_cast<unsigned>(__cvta_generic_to_shared(&row(i)))),
                 "l"(x)
                 : "memory");
  }
  static __device__ __forceinline__ void wait() { asm volatile("cp.async.wait_all;" ::: "memory"); }
};

// The strip of a tile that is fetched next; nothing where `x` is nullptr.
struct NextStrip {
  const Bf16* x;
  std::int64_t cols;

  __device__ __forceinline__ void fetch_all(StripStage& stage) const {
    if (x == nullptr) return;
    const Bf16* row = x;
#pragma unroll
    for (int i = 0; i < kStripRows; ++i) {
      stage.fetch(i, row);
      row += cols;
    }
  }
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

  // Of the 16x16 that this thread and its neighbour hold. To be called first. Here and below:
  // whether every block could be encoded; if not, it is to be done again.
  __device__ __forceinline__ bool find_square_scale(const EncodeTable& table) {
    std::uint32_t largest = 0;
#pragma unroll
    for (int i = 0; i < kStripRows; ++i) largest = __vmaxu2(largest, max_pairs(strip_.row(i)));
    largest = join_maxima(largest, largest);
    largest = __vmaxu2(largest, __shfl_xor_sync(0xffffffffu, largest, 1));
    per_amax_ = table.per_amax;
    square_ = scales_of(table, largest);
    return fine_;
  }

  // Fetches a row of the next strip where it has read one of this.
  __device__ __forceinline__ bool rows(const EncodeTable& table, const NextStrip& next) {
    const std::int64_t blocks = (a_.shape.cols + 15) / 16;
    // Of two rows' blocks, each of the two neighbours writes one scale. Of sixteen rows from a
    // multiple of 16 on, the scales lie evenly apart in either layout.
    const int own = static_cast<int>(threadIdx.x) % 2;
    const std::int64_t stride = a_.layout == ScaleLayout::linear ? blocks : 16;
    std::uint8_t* scales =
        a_.out.scales + scale_index(a_.layout, blocks, row_, col_ / 16) + own * stride;
    std::uint8_t* codes = a_.out.codes + row_ * 8 * blocks + col_ / 2;
    const std::int64_t codes_of_row = 8 * blocks;
    const std::int64_t scales_of_two = 2 * stride;
    const Bf16* from = next.x;
    fine_ = true;
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
#pragma unroll
      for (int r = 0; r < 2; ++r) {
        const float x[8] = {low_bf16(v[r].x),  high_bf16(v[r].x), low_bf16(v[r].y),
                            high_bf16(v[r].y), low_bf16(v[r].z),  high_bf16(v[r].z),
                            low_bf16(v[r].w),  high_bf16(v[r].w)};
        *reinterpret_cast<std::uint32_t*>(codes) =
            encode(x, scale.encode[r], random_of_row(i + r, 0), random_of_row(i + r, 1));
        codes += codes_of_row;
      }
      *scales = static_cast<std::uint8_t>(scale.stored >> (8 * own));
      scales += scales_of_two;
      if (next.x != nullptr) {
        strip_.fetch(i, from);
        strip_.fetch(i + 1, from + next.cols);
        from += 2 * next.cols;
      }
    }
    return fine_;
  }

  __device__ __forceinline__ bool columns(const EncodeTable& table, ColumnStage& stage) {
    const int band = static_cast<int>(threadIdx.x) / 32;
    const int lane = static_cast<int>(threadIdx.x) % 32;
    auto* const scales = reinterpret_cast<std::uint16_t*>(&stage.scales[band][lane]);
    fine_ = true;
    per_amax_ = table.per_amax;
#pragma unroll 1
    for (int p = 0; p < kStripCols / 2; ++p) {
      const int pair = (p + lane / 8) % (kStripCols / 2);
      std::uint32_t words[16];
#pragma unroll
      for (int i = 0; i < 16; ++i) words[i] = strip_.word(i, pair);
      float x[2][16];
#pragma unroll
      for (int i = 0; i < 16; ++i) {
        x[0][i] = low_bf16(words[i]);
        x[1][i] = high_bf16(words[i]);
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
        for (int i = 0; i < 16; ++i) largest = max_pairs(largest, words[i]);
      }
      const TwoScales scale = kSquare ? square_ : scales_of(table, largest);
#pragma unroll
      for (int c = 0; c < 2; ++c) {
        stage.codes[ColumnStage::place(lane, 2 * pair + c) + band] =
            encode_column(x[c], scale.encode[c], pair, c);
      }
      scales[pair] = static_cast<std::uint16_t>(scale.stored);
    }
    return fine_;
  }

 private:
  __device__ __forceinline__ TwoScales scales_of(const EncodeTable& table, std::uint32_t largest) {
    const TwoScales scales = fast_scales(table, per_amax_, low_bf16(largest), high_bf16(largest));
    fine_ = fine_ && encodable(low_bf16(largest), scales.encode[0]) &&
            encodable(high_bf16(largest), scales.encode[1]);
    return scales;
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

  __device__ __forceinline__ uint2 encode_column(const float (&x)[16], float scale, int pair,
                                                 int c) const {
    const float first[8] = {x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7]};
    const float second[8] = {x[8], x[9], x[10], x[11], x[12], x[13], x[14], x[15]};
    return {encode(first, scale, random_of_column(0, pair, c), random_of_column(4, pair, c)),
            encode(second, scale, random_of_column(8, pair, c), random_of_column(12, pair, c))};
  }

  const QuantizeArguments& a_;
  StripStage& strip_;
  std::int64_t row_, col_;  // of the strip
  bool fine_ = true;
  float per_amax_ = 0;
  TwoScales square_{};
  Random128 random_[kStripRows / 2];
};

struct StripTiles {
  std::int64_t down;  // tiles below each other
  std::int64_t count;
};

struct NoStage {};

template <bool kCols>
struct StripShared {
  StripStage strip;
  std::conditional_t<kCols, ColumnStage, NoStage> columns;
  EncodeTable table, table_t;
};

template <bool kRows, bool kCols, Transform kTransform, bool kSquare, bool kStochastic>
__global__ void __launch_bounds__(kStripThreads, kStochastic ? 4
                                                 : kCols     ? 5
                                                             : 6)
    nvfp4_strip_quantize(const __grid_constant__ QuantizeArguments a, StripTiles tiles) {
  const auto bounds = [&](std::int64_t tile) {
    return TileBounds{tile % tiles.down * kStripTileRows, tile / tiles.down * kStripTileCols,
                      kStripTileRows, kStripTileCols};
  };
#if __CUDA_ARCH__ >= 890
  extern __shared__ uint4 raw_shared[];
  auto& shared = *reinterpret_cast<StripShared<kCols>*>(raw_shared);
  const int band_row = static_cast<int>(threadIdx.x) / 32 * kStripRows;
  const int lane_col = static_cast<int>(threadIdx.x) % 32 * kStripCols;
  const auto strip_of = [&](std::int64_t tile) {
    const TileBounds t = bounds(tile);
    const bool whole = tile < tiles.count && a.shape.cols % kStripCols == 0 &&
                       t.row + t.rows <= a.shape.rows && t.col + t.cols <= a.shape.cols;
    return NextStrip{whole ? a.x + (t.row + band_row) * a.shape.cols + t.col + lane_col : nullptr,
                     a.shape.cols};
  };
  NextStrip next = strip_of(blockIdx.x);
  next.fetch_all(shared.strip);
  if (kRows) shared.table.fill(*a.amax);
  if (kCols && !kSquare) shared.table_t.fill(*a.amax_t);
  __syncthreads();
  const EncodeTable& table_t = kSquare ? shared.table : shared.table_t;
  for (std::int64_t tile = blockIdx.x; tile < tiles.count; tile += gridDim.x) {
    const TileBounds t = bounds(tile);
    const bool whole = next.x != nullptr;
    next = strip_of(tile + gridDim.x);
    StripStage::wait();
    StripQuantizer<kTransform, kSquare, kStochastic> quantizer(a, shared.strip, t.row + band_row,
                                                               t.col + lane_col);
    bool square_fine = true;
    if (kSquare && whole) square_fine = quantizer.find_square_scale(shared.table);
    if constexpr (kCols) {
      bool fine = whole && table_t.usable() && square_fine;
      if (whole) fine = quantizer.columns(table_t, shared.columns) && fine;
      if (!kRows) next.fetch_all(shared.strip);
      if (__syncthreads_and(fine)) {
        shared.columns.write(a, t.row, t.col);
      } else {
        plain_tile<false, true, kTransform, kSquare>(a, t);
      }
      if (!kRows) __syncthreads();
    }
    if constexpr (kRows) {
      bool fine = whole && shared.table.usable() && square_fine;
      if (whole) {
        fine = quantizer.rows(shared.table, next) && fine;
      } else {
        next.fetch_all(shared.strip);
      }
      if (!__syncthreads_and(fine)) plain_tile<true, false, kTransform, kSquare>(a, t);
    }
  }
#else
  for (std::int64_t tile = blockIdx.x; tile < tiles.count; tile += gridDim.x) {
    plain_tile<kRows, kCols, kTransform, kSquare>(a, bounds(tile));
  }
#endif
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
  StripTiles tiles{};
  tiles.down = (a.shape.rows + kStripTileRows - 1) / kStripTileRows;
  tiles.count = tiles.down * ((a.shape.cols + kStripTileCols - 1) / kStripTileCols);
  const auto kernel = a.random != nullptr
                          ? nvfp4_strip_quantize<kRows, kCols, kTransform, kSquare, true>
                          : nvfp4_strip_quantize<kRows, kCols, kTransform, kSquare, false>;
  constexpr int kShared = sizeof(StripShared<kCols>);
  const auto blocks = static_cast<unsigned>(
      std::min<std::int64_t>(tiles.count, resident_blocks(kernel, kStripThreads, kShared)));
  kernel<<<blocks, kStripThreads, kShared, stream>>>(a, tiles);
  cuda_check(cudaGetLastError(), what);
}

}  // namespace mansard::nvfp4::device
