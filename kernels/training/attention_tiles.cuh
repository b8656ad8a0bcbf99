// SPDX-License-Identifier: Apache-2.0
// Building blocks of the attention kernels: warps of a block of 128 threads multiply tiles in
// shared memory with mma.sync.m16n8k16, the matrix instruction of all GPUs since Ampere. Register
// layouts are those of PTX ISA 8.7, "Matrix Fragments for mma.m16n8k16 with floating point type".
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include <cuda_runtime.h>

#include "kernels/formats/bf16.h"
#include "kernels/fp8/device/maxima.cuh"
#include "kernels/training/operation_types.h"

namespace mansard::kernels::attention {

constexpr int kWarps = 4;
constexpr int kThreads = 32 * kWarps;
// Rows of a warp in a product. Two fragments of 16 rows, so that each fragment of the other operand
// is loaded once and used twice: otherwise shared memory would be slower than the tensor cores.
constexpr int kWarpRows = 32;

constexpr float kLog2E = 1.4426950408889634f;

// AttentionShape as the kernels use it.
struct Sizes {
  int sequence, heads, kv_heads, group;
  std::int64_t qkv_stride, out_stride;
  float scale, scale_log2;  // factors of scores: in exp() and in exp2()

  explicit Sizes(const AttentionShape& s)
      : sequence(static_cast<int>(s.sequence)),
        heads(static_cast<int>(s.heads)),
        kv_heads(static_cast<int>(s.kv_heads)),
        group(heads / kv_heads),
        qkv_stride(s.qkv_cols()),
        out_stride(s.out_cols()),
        scale(1 / std::sqrt(static_cast<float>(s.head_size))),
        scale_log2(scale * kLog2E) {}
};

// ---- Instructions ----

__device__ __forceinline__ std::uint32_t shared_address(const void* p) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(p));
}

// Starts to copy 8 or 16 bytes to shared memory. Writes zeros and reads nothing if the source is
// not valid.
template <int kBytes>
__device__ __forceinline__ void copy_async(void* target, const void* source, bool valid) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(shared_address(target)),
               "l"(source), "n"(kBytes), "r"(valid ? kBytes : 0)
               : "memory");
}
// Bypasses L1, which has no reuse of whole tiles. The instruction has only this size.
template <>
__device__ __forceinline__ void copy_async<16>(void* target, const void* source, bool valid) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(target)),
               "l"(source), "r"(valid ? 16 : 0)
               : "memory");
}

// Waits until the copies of all threads of the block are complete, and until all threads have
// finished reading the buffer that the next copies overwrite.
__device__ __forceinline__ void wait_for_copies() {
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
}

// Load four 8 x 8 matrices; lane 8 i + j has the address of row j of matrix i.
__device__ __forceinline__ void load_matrices(std::uint32_t (&r)[4], std::uint32_t address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(address)
               : "memory");
}
__device__ __forceinline__ void load_transposed_matrices(std::uint32_t (&r)[4],
                                                         std::uint32_t address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(address)
               : "memory");
}

// d += a * b, where a is 16 x 16 and b is 16 x 8.
__device__ __forceinline__ void multiply_add(float (&d)[4], const std::uint32_t (&a)[4],
                                             std::uint32_t b0, std::uint32_t b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

__device__ __forceinline__ float fast_exp2(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

__device__ __forceinline__ std::uint32_t pack_bf16(float low, float high) {
  std::uint32_t packed;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(packed) : "f"(high), "f"(low));
  return packed;
}
__device__ __forceinline__ float low_bf16(std::uint32_t packed) {
  return __uint_as_float(packed << 16);
}
__device__ __forceinline__ float high_bf16(std::uint32_t packed) {
  return __uint_as_float(packed & 0xffff0000u);
}

// ---- Products in registers ----

// A product of a warp: 32 rows by kCols columns. A lane has 4 of the rows: its row r is 8 r +
// lane / 4, and its element (r, n, i) is in column 8 n + 2 (lane % 4) + i.
template <int kCols>
using Product = float[2][kCols / 8][4];
constexpr int kLaneRows = 4;

template <std::size_t kBlocks>
__device__ __forceinline__ float& element(float (&s)[2][kBlocks][4], int r, int n, int i) {
  return s[r / 2][n][r % 2 * 2 + i];
}

// Reductions over the four lanes that have the same rows.
__device__ __forceinline__ float row_max(float x) {
  x = fmaxf(x, __shfl_xor_sync(~0u, x, 1));
  return fmaxf(x, __shfl_xor_sync(~0u, x, 2));
}
__device__ __forceinline__ float row_sum(float x) {
  x += __shfl_xor_sync(~0u, x, 1);
  return x + __shfl_xor_sync(~0u, x, 2);
}

// The left operand of an accumulation: 32 rows by 16 columns, in BF16.
using LeftOperand = std::uint32_t[2][4];

// Rounds columns 16 k to 16 k + 15 of a product. All values stay in their lanes.
template <std::size_t kBlocks>
__device__ __forceinline__ void to_left_operand(LeftOperand& a, const float (&s)[2][kBlocks][4],
                                                int k) {
#pragma unroll
  for (int m = 0; m < 2; ++m) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const float* pair = &s[m][2 * k + i / 2][i % 2 * 2];
      a[m][i] = pack_bf16(pair[0], pair[1]);
    }
  }
}

// ---- Tiles in shared memory ----

// Required alignment of a tile in bytes.
constexpr int kTileAlignment = 256;

// A tile has rows of kHeadSize BF16 elements. The chunks of 16 bytes are permuted within a row, so
// that the eight rows of a matrix are in different banks. Because of the alignment, an exclusive or
// changes the chunk of an address without touching its row.
template <int kHeadSize>
struct Tile {
  static constexpr int kChunks = kHeadSize / 8;  // of a row
  using Sums = Product<kHeadSize>;

  static constexpr int bytes(int rows) { return rows * kHeadSize * 2; }

  static __device__ __forceinline__ int offset(int row, int chunk) {
    return bytes(row) + ((chunk ^ (row % 8)) << 4);
  }

  // Starts to copy kRows rows that are `stride` elements apart; rows from `valid_rows` on become
  // zero. All threads of the block call it.
  template <int kRows>
  static __device__ __forceinline__ void load(unsigned char* tile, const Bf16* source,
                                              std::int64_t stride, int valid_rows) {
    constexpr int kRowsPerPass = kThreads / kChunks;
    static_assert(kRows % kRowsPerPass == 0 && kRowsPerPass % 8 == 0);
    const int first_row = threadIdx.x / kChunks;
    const int chunk = threadIdx.x % kChunks;
    unsigned char* to = tile + offset(first_row, chunk);
    const Bf16* from = source + first_row * stride + chunk * 8;
#pragma unroll
    for (int row = 0; row < kRows; row += kRowsPerPass) {
      copy_async<16>(to + bytes(row), from + row * stride, first_row + row < valid_rows);
    }
  }

  // Address at which this lane loads its row of the 16 x 16 block at (0, 0). For the block at
  // (row, column), exclusive-or it with 2 * column and add bytes(row).
  static __device__ __forceinline__ std::uint32_t lane_address(const unsigned char* tile) {
    const int lane = threadIdx.x % 32;
    return shared_address(tile) + offset(lane % 16, lane / 16);
  }

  // s += rows * tile^T, for the 32 rows at `rows` and 8 * kBlocks rows of the tile.
  template <std::size_t kBlocks>
  static __device__ __forceinline__ void multiply(float (&s)[2][kBlocks][4],
                                                  const unsigned char* rows,
                                                  const unsigned char* tile) {
    const std::uint32_t left = lane_address(rows);
    const std::uint32_t right = lane_address(tile);
#pragma unroll
    for (int k = 0; k < kHeadSize; k += 16) {
      LeftOperand a;
      load_matrices(a[0], left ^ (2 * k));
      load_matrices(a[1], (left ^ (2 * k)) + bytes(16));
#pragma unroll
      for (int n = 0; n < kBlocks; n += 2) {
        std::uint32_t b[4];
        load_matrices(b, (right ^ (2 * k)) + bytes(8 * n));
#pragma unroll
        for (int m = 0; m < 2; ++m) {
          multiply_add(s[m][n], a[m], b[0], b[2]);
          multiply_add(s[m][n + 1], a[m], b[1], b[3]);
        }
      }
    }
  }

  // sums += a * rows 16 k to 16 k + 15 of the tile.
  static __device__ __forceinline__ void accumulate(Sums& sums, const LeftOperand& a,
                                                    const unsigned char* tile, int k) {
    const std::uint32_t right = lane_address(tile) + bytes(16 * k);
#pragma unroll
    for (int n = 0; n < kHeadSize / 8; n += 2) {
      std::uint32_t b[4];
      load_transposed_matrices(b, right ^ (16 * n));
#pragma unroll
      for (int m = 0; m < 2; ++m) {
        multiply_add(sums[m][n], a[m], b[0], b[1]);
        multiply_add(sums[m][n + 1], a[m], b[2], b[3]);
      }
    }
  }

  // Writes the first `valid_rows` of the warp's rows, each multiplied by its factor. `rows` is
  // shared memory that only this warp still uses; it turns pairs of elements into chunks. Returns
  // the largest magnitudes that this thread writes, as a pair (kernels/fp8/device/maxima.cuh).
  static __device__ __forceinline__ std::uint32_t store(Sums& sums,
                                                        const float (&factor)[kLaneRows],
                                                        unsigned char* rows, Bf16* target,
                                                        std::int64_t stride, int valid_rows) {
    const int lane = threadIdx.x % 32;
    __syncwarp();
#pragma unroll
    for (int r = 0; r < kLaneRows; ++r) {
#pragma unroll
      for (int n = 0; n < kHeadSize / 8; ++n) {
        *reinterpret_cast<std::uint32_t*>(rows + offset(8 * r + lane / 4, n) + lane % 4 * 4) =
            pack_bf16(element(sums, r, n, 0) * factor[r], element(sums, r, n, 1) * factor[r]);
      }
    }
    __syncwarp();
    const int chunk = lane % kChunks;
    std::uint32_t largest = 0;
    for (int row = lane / kChunks; row < min(valid_rows, kWarpRows); row += 32 / kChunks) {
      const uint4 bits = *reinterpret_cast<const uint4*>(rows + offset(row, chunk));
      *reinterpret_cast<uint4*>(target + row * stride + chunk * 8) = bits;
      largest = __vmaxu2(largest, fp8::device::magnitudes(bits));
    }
    return largest;
  }
};

// Excludes keys after the query. The product's row 0 and column 0 have these positions in the
// sequence; its rows or its columns are keys.
template <bool kKeysInRows, std::size_t kBlocks>
__device__ __forceinline__ void apply_mask(float (&s)[2][kBlocks][4], int first_row,
                                           int first_column) {
  const int row = first_row + threadIdx.x % 32 / 4;
  const int column = first_column + threadIdx.x % 4 * 2;
#pragma unroll
  for (int r = 0; r < kLaneRows; ++r) {
#pragma unroll
    for (int n = 0; n < kBlocks; ++n) {
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        const int distance = (column + 8 * n + i) - (row + 8 * r);
        if (kKeysInRows ? distance < 0 : distance > 0) element(s, r, n, i) = -INFINITY;
      }
    }
  }
}

}  // namespace mansard::kernels::attention
