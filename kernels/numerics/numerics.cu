// SPDX-License-Identifier: Apache-2.0
// Each thread block adds the same tiles of 32x32 elements in the same order in every launch. The
// source passes through shared memory, so that its reading is coalesced for a transposed operand
// too.
#include "kernels/numerics/numerics.h"

#include "kernels/device/cuda_check.h"

namespace mansard::kernels::numerics {
namespace {

constexpr int kTile = 32;
constexpr int kTileRows = 8;  // that the thread block reads at once
constexpr int kThreads = kTile * kTileRows;
constexpr int kWarps = kThreads / 32;
constexpr unsigned kAllLanes = 0xffffffffu;

// Sum over the thread block, valid in thread 0.
__device__ Sums block_sum(Sums sums) {
  // Shared memory cannot have the initial values of Sums.
  __shared__ alignas(Sums) unsigned char storage[kWarps * sizeof(Sums)];
  Sums* const of_warps = reinterpret_cast<Sums*>(storage);
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) {
    Sums other;
    other.squares = __shfl_xor_sync(kAllLanes, sums.squares, distance);
    other.error_squares = __shfl_xor_sync(kAllLanes, sums.error_squares, distance);
    const auto exchanged = [&](std::uint64_t count) {
      return __shfl_xor_sync(kAllLanes, static_cast<unsigned long long>(count), distance);
    };
    other.nonzero = exchanged(sums.nonzero);
    other.underflowed = exchanged(sums.underflowed);
    other.saturated = exchanged(sums.saturated);
    other.amax_bits = exchanged(sums.amax_bits);
    add(sums, other);
  }
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = sums;
  __syncthreads();
  Sums all;
  for (int warp = 0; warp < kWarps; ++warp) add(all, of_warps[warp]);
  return all;
}

__global__ void __launch_bounds__(kThreads)
    operand_error_kernel(OperandError operand, Sums* __restrict__ partials) {
  __shared__ Bf16 tile[kTile][kTile + 2];
  const Shape shape = operand.shape;
  const double unit =
      operand.unit * (operand.factor == nullptr ? 1.0 : static_cast<double>(*operand.factor));
  const std::int64_t across = ceil_div(shape.cols, kTile);
  const std::int64_t tiles = ceil_div(shape.rows, kTile) * across;
  const int lane = threadIdx.x % kTile;
  const int first = threadIdx.x / kTile;
  Sums sums;
  for (std::int64_t t = blockIdx.x; t < tiles; t += gridDim.x) {
    const std::int64_t row = t / across * kTile;
    const std::int64_t col = t % across * kTile;
    __syncthreads();  // the previous tile has been used
    for (int r = first; r < kTile; r += kTileRows) {
      if (row + r < shape.rows && col + lane < shape.cols) {
        tile[r][lane] = operand.source[(row + r) * shape.cols + col + lane];
      }
    }
    __syncthreads();
    for (int i = first; i < kTile; i += kTileRows) {
      const int r = operand.transposed ? lane : i;
      const int c = operand.transposed ? i : lane;
      if (row + r >= shape.rows || col + c >= shape.cols) continue;
      if (operand.transposed) {
        add_element(operand, unit, tile[r][c], col + c, row + r, sums);
      } else {
        add_element(operand, unit, tile[r][c], row + r, col + c, sums);
      }
    }
  }
  sums = block_sum(sums);
  if (threadIdx.x == 0) partials[blockIdx.x] = sums;
}

__global__ void __launch_bounds__(kThreads)
    operand_error_sum_kernel(const Sums* __restrict__ partials, Sums* __restrict__ out) {
  Sums sums;
  for (int i = threadIdx.x; i < kPartialSums; i += kThreads) add(sums, partials[i]);
  sums = block_sum(sums);
  if (threadIdx.x == 0) *out = sums;
}

}  // namespace

void sum_errors(const OperandError& operand, Sums* partials, Sums* out, cudaStream_t stream) {
  operand_error_kernel<<<kPartialSums, kThreads, 0, stream>>>(operand, partials);
  operand_error_sum_kernel<<<1, kThreads, 0, stream>>>(partials, out);
  cuda_check(cudaGetLastError(), "launch the sums of an operand's error");
}

}  // namespace mansard::kernels::numerics
