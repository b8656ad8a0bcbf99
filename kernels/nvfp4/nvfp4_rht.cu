// SPDX-License-Identifier: Apache-2.0
// Random Hadamard transform of x^T, stored in BF16: the extra cost of a path without fused
// quantization. Moves 2 + 2 = 4 B per element.
#include "kernels/device/cuda_check.h"
#include "kernels/nvfp4/device/tile.cuh"
#include "kernels/nvfp4/nvfp4.h"
#include "kernels/nvfp4/operation.h"
#include "kernels/nvfp4/reference.h"

namespace mansard::kernels::nvfp4 {
namespace {

constexpr int kWordsPerColumn = device::kTileRows / 2;

__device__ __forceinline__ std::uint32_t pack(float low, float high) {
  // The values are already BF16: their low halves are zero.
  return __float_as_uint(low) >> 16 | (__float_as_uint(high) & 0xffff0000u);
}

__global__ void __launch_bounds__(device::kTileThreads)
    nvfp4_rht_kernel(const Bf16* __restrict__ x, Shape shape, Bf16* __restrict__ out) {
  using namespace device;
  __shared__ alignas(16) TileWords tile;
  // One word of padding per column, so that adjacent columns start in adjacent banks.
  __shared__ std::uint32_t staged[kTileCols][kWordsPerColumn + 1];
  const TilePlace place = tile_place(shape);
  load_tile(x, shape, place, tile);

  const int pair = static_cast<int>(threadIdx.x) % kPairs;
  const int band = static_cast<int>(threadIdx.x) / kPairs;
  if (2 * pair < place.cols && band * 16 < place.rows) {
    float columns[2][16];
    load_columns(tile, band, pair, columns[0], columns[1]);
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      rht16(columns[i]);
#pragma unroll
      for (int w = 0; w < 8; ++w) {
        staged[2 * pair + i][band * 8 + w] = pack(columns[i][2 * w], columns[i][2 * w + 1]);
      }
    }
  }
  __syncthreads();
  // A column of the tile is up to 256 B of one row of `out`.
  auto* const out_words = reinterpret_cast<std::uint32_t*>(out);
  for (int i = static_cast<int>(threadIdx.x); i < kTileCols * kWordsPerColumn; i += kTileThreads) {
    const int col = i / kWordsPerColumn;
    const int word = i % kWordsPerColumn;
    if (col >= place.cols || 2 * word >= place.rows) continue;
    out_words[((place.col + col) * shape.rows + place.row) / 2 + word] = staged[col][word];
  }
}

// Any shape: a thread handles 16 elements of a column, adjacent threads handle adjacent columns.
__global__ void __launch_bounds__(device::kTileThreads)
    nvfp4_rht_plain_kernel(const Bf16* __restrict__ x, Shape shape, Bf16* __restrict__ out) {
  const std::int64_t item = std::int64_t{blockIdx.x} * device::kTileThreads + threadIdx.x;
  const std::int64_t row = item / shape.cols * 16;
  const std::int64_t col = item % shape.cols;
  if (row >= shape.rows) return;
  float values[16];
#pragma unroll
  for (int i = 0; i < 16; ++i) {
    values[i] =
        row + i < shape.rows ? device::low_bf16(x[(row + i) * shape.cols + col].bits) : 0.0f;
  }
  device::rht16(values);
#pragma unroll
  for (int i = 0; i < 16; ++i) {
    if (row + i >= shape.rows) break;
    out[col * shape.rows + row + i].bits =
        static_cast<std::uint16_t>(__float_as_uint(values[i]) >> 16);
  }
}

}  // namespace

void rht_transposed(const Bf16* x, Shape shape, Bf16* out, cudaStream_t stream) {
  require_shape("RHT", shape);
  if (shape.rows % 16 == 0 && shape.cols % 16 == 0) {
    nvfp4_rht_kernel<<<device::tile_grid(shape), device::kTileThreads, 0, stream>>>(x, shape, out);
  } else {
    const std::int64_t items = (shape.rows + 15) / 16 * shape.cols;
    const auto blocks =
        static_cast<unsigned>((items + device::kTileThreads - 1) / device::kTileThreads);
    nvfp4_rht_plain_kernel<<<blocks, device::kTileThreads, 0, stream>>>(x, shape, out);
  }
  cuda_check(cudaGetLastError(), "launch the RHT");
}

}  // namespace mansard::kernels::nvfp4

namespace mansard::kernels {

void register_nvfp4_rht(KernelRegistry& registry) {
  using namespace nvfp4;
  add_operation(
      registry,
      {.name = "nvfp4_rht",
       .summary = "Random Hadamard transform (RHT) of the transpose, stored in BF16 (4 B/element)",
       .traffic_bytes = traffic::rht,
       .output_bytes = [](Shape s) { return std::vector<std::int64_t>{bf16_bytes(s)}; },
       .launch = [](const Inputs& in, const Outputs& out, Shape shape,
                    cudaStream_t stream) { rht_transposed(in.x, shape, as_bf16(out, 0), stream); },
       .reference = [](const Inputs& in, const Outputs& out,
                       Shape shape) { reference::rht_transposed(in.x, shape, as_bf16(out, 0)); }});
}

}  // namespace mansard::kernels
