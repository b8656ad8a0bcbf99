// SPDX-License-Identifier: Apache-2.0
// Quantizes a matrix of any element type to NVFP4 with one reading, for any Hadamard transform. The
// differences between the operations are selected per tile at run time, so that there is one kernel
// per element type. All arithmetic is the plain arithmetic of arithmetic.cuh.
#pragma once

#include "kernels/device/cuda_check.h"
#include "kernels/nvfp4/device/float_columns.cuh"
#include "kernels/nvfp4/device/quantize_arguments.h"

namespace mansard::kernels::nvfp4::device {

// Random bytes of a tile's elements; each patch is drawn once.
struct RandomTile {
  std::uint8_t bytes[FloatTile::kRows][FloatTile::kCols];

  __device__ __forceinline__ void draw(RandomState state, std::int64_t row, std::int64_t col) {
    constexpr int kOctets = FloatTile::kCols / kPatchCols;
    constexpr int kPatches = kOctets * FloatTile::kRows / kPatchRows;
    for (int i = static_cast<int>(threadIdx.x); i < kPatches; i += FloatTile::kThreads) {
      const int pair = i / kOctets;
      const int octet = i % kOctets;
      const Random128 bits =
          random_patch(state, static_cast<std::uint32_t>(row / kPatchRows + pair),
                       static_cast<std::uint32_t>(col / kPatchCols + octet));
      auto* const target = &bytes[pair * kPatchRows][octet * kPatchCols];
      *reinterpret_cast<uint2*>(target) = {bits.word[0], bits.word[1]};
      *reinterpret_cast<uint2*>(target + FloatTile::kCols) = {bits.word[2], bits.word[3]};
    }
  }
};

template <typename Byte>
__device__ __forceinline__ uint2 encode_block(const float (&values)[16], float encode,
                                              const Byte& byte) {
  std::uint32_t bytes[16];
#pragma unroll
  for (int i = 0; i < 16; ++i) bytes[i] = byte(i);
  uint2 codes = {0u, 0u};
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const auto random = [&](int at) { return bytes[at] << 8 | bytes[at ^ 1]; };
    codes.x |= to_e2m1(values[i], encode, random(i)) << (4 * i);
    codes.y |= to_e2m1(values[i + 8], encode, random(i + 8)) << (4 * i);
  }
  return codes;
}

// Largest magnitude of each 16x16 of the tile.
using SquareMaxima = float[FloatTile::kBands][FloatTile::kStrips];

__device__ __forceinline__ void find_square_maxima(const FloatTile& tile, SquareMaxima& maxima) {
  constexpr int kItems = FloatTile::kCols * FloatTile::kBands;
  for (int item = static_cast<int>(threadIdx.x); item < kItems; item += FloatTile::kThreads) {
    const int band = item / FloatTile::kCols;
    const int col = item % FloatTile::kCols;
    float x[16];
    tile.column_block(band, col, x);
    std::uint32_t largest = __float_as_uint(max_magnitude(x));
#pragma unroll
    for (int lane = 1; lane < 16; lane *= 2) {
      largest = max(largest, __shfl_xor_sync(0xffffffffu, largest, lane));
    }
    if (col % 16 == 0) maxima[band][col / 16] = __uint_as_float(largest);
  }
}

// `squares`: maxima of the 16x16 squares, shared by their blocks; nullptr: each block uses its own.
template <typename T>
__device__ __forceinline__ void quantize_rows(const QuantizeArgumentsOf<T>& a,
                                              const FloatTile& tile, const RandomTile& random,
                                              const SquareMaxima* squares, std::int64_t row,
                                              std::int64_t col) {
  const float tensor_scale = tensor_encode_scale(*a.amax);
  const std::int64_t blocks = (a.shape.cols + 15) / 16;
  constexpr int kItems = FloatTile::kRows * FloatTile::kStrips;
  for (int item = static_cast<int>(threadIdx.x); item < kItems; item += FloatTile::kThreads) {
    const int r = item / FloatTile::kStrips;
    const int strip = item % FloatTile::kStrips;
    if (row + r >= a.shape.rows || col + strip * 16 >= a.shape.cols) continue;
    float x[16];
    tile.row_block(r, strip, x);
    const float largest = squares != nullptr ? (*squares)[r / 16][strip] : max_magnitude(x);
    const BlockScale scale = block_scale(largest, tensor_scale);
    const uint2 codes = a.random == nullptr
                            ? encode_block(x, scale.encode)
                            : encode_block(x, scale.encode, [&](int i) -> std::uint32_t {
                                const uint4 bytes =
                                    *reinterpret_cast<const uint4*>(&random.bytes[r][strip * 16]);
                                const std::uint32_t word = i < 4    ? bytes.x
                                                           : i < 8  ? bytes.y
                                                           : i < 12 ? bytes.z
                                                                    : bytes.w;
                                return word >> (i % 4 * 8) & 0xffu;
                              });
    const std::int64_t block = col / 16 + strip;
    reinterpret_cast<uint2*>(a.out.codes)[(row + r) * blocks + block] = codes;
    a.out.scales[scale_index(a.layout, blocks, row + r, block)] = scale.stored;
  }
}

// Codes and scale of a column's block are written to three of its own 16 places, chosen so that
// neither this nor the reading by bands has bank conflicts; eight bands of a column are then stored
// together.
template <typename T>
__device__ __forceinline__ void quantize_columns(const QuantizeArgumentsOf<T>& a, FloatTile& tile,
                                                 const Hadamard& hadamard, const RandomTile& random,
                                                 const SquareMaxima* squares, std::int64_t row,
                                                 std::int64_t col) {
  const float tensor_scale = tensor_encode_scale(*a.amax_t);
  const auto place = [&](int band, int column, int word) -> float& {
    return tile.values[band * 16 + (band + word) % 8 + word / 2 * 8][column];
  };
  for_each_column_block(tile, hadamard, [&](int band, int c, const float(&x)[16]) {
    const float largest = squares != nullptr ? (*squares)[band][c / 16] : max_magnitude(x);
    const BlockScale scale = block_scale(largest, tensor_scale);
    const uint2 codes = a.random == nullptr
                            ? encode_block(x, scale.encode)
                            : encode_block(x, scale.encode, [&](int i) -> std::uint32_t {
                                return random.bytes[band * 16 + i][c];
                              });
    place(band, c, 0) = __uint_as_float(codes.x);
    place(band, c, 1) = __uint_as_float(codes.y);
    place(band, c, 2) = __uint_as_float(scale.stored);
  });
  __syncthreads();
  const std::int64_t blocks = (a.shape.rows + 15) / 16;
  constexpr int kItems = FloatTile::kCols * FloatTile::kBands;
  for (int item = static_cast<int>(threadIdx.x); item < kItems; item += FloatTile::kThreads) {
    const int c = item / FloatTile::kBands;
    const int band = item % FloatTile::kBands;
    if (col + c >= a.shape.cols || row + band * 16 >= a.shape.rows) continue;
    const std::int64_t block = row / 16 + band;
    reinterpret_cast<uint2*>(a.out_t.codes)[(col + c) * blocks + block] = {
        __float_as_uint(place(band, c, 0)), __float_as_uint(place(band, c, 1))};
    a.out_t.scales[scale_index(a.layout, blocks, col + c, block)] =
        static_cast<std::uint8_t>(__float_as_uint(place(band, c, 2)));
  }
}

struct FloatShared {
  FloatTile tile;
  RandomTile random;  // used for stochastic rounding
};

// Quantizes rows if a.out is set, and transformed columns if a.out_t is set.
template <typename T>
__global__ void __launch_bounds__(FloatTile::kThreads)
    nvfp4_quantize_any_kernel(const __grid_constant__ QuantizeArgumentsOf<T> a,
                              const __grid_constant__ Hadamard hadamard, bool square,
                              FloatTiles tiles) {
  extern __shared__ uint4 raw_shared[];
  __shared__ SquareMaxima maxima;
  auto& shared = *reinterpret_cast<FloatShared*>(raw_shared);
  const std::int64_t row = blockIdx.x / tiles.across * FloatTile::kRows;
  const std::int64_t col = blockIdx.x % tiles.across * FloatTile::kCols;
  shared.tile.load(a.x, a.shape, row, col);
  if (a.random != nullptr) shared.random.draw(*a.random, row, col);
  __syncthreads();
  if (square) {
    find_square_maxima(shared.tile, maxima);
    __syncthreads();
  }
  const SquareMaxima* const squares = square ? &maxima : nullptr;
  if (a.out.codes != nullptr) {
    quantize_rows(a, shared.tile, shared.random, squares, row, col);
    __syncthreads();  // the columns' results overwrite the tile
  }
  if (a.out_t.codes != nullptr) {
    quantize_columns(a, shared.tile, hadamard, shared.random, squares, row, col);
  }
}

template <typename T>
void launch_quantize_any(const QuantizeArgumentsOf<T>& a, const Hadamard& hadamard, bool square,
                         const char* what, cudaStream_t stream) {
  const FloatTiles tiles = float_tiles(a.shape);
  const int shared =
      static_cast<int>(a.random != nullptr ? sizeof(FloatShared) : sizeof(FloatTile));
  nvfp4_quantize_any_kernel<T>
      <<<static_cast<unsigned>(tiles.count), FloatTile::kThreads, shared, stream>>>(a, hadamard,
                                                                                    square, tiles);
  cuda_check(cudaGetLastError(), what);
}

}  // namespace mansard::kernels::nvfp4::device
