// SPDX-License-Identifier: Apache-2.0
// amax(x) and amax(RHT(x^T)) from one reading of x: first pass of quantizing activations and
// gradients.
#include <algorithm>

#include "kernels/device/cuda_check.h"
#include "kernels/device/resident_blocks.h"
#include "kernels/nvfp4/device/amax_scratch.cuh"
#include "kernels/nvfp4/device/plain_tile.cuh"
#include "kernels/nvfp4/device/strip.cuh"
#include "kernels/nvfp4/operation.h"
#include "kernels/nvfp4/reference.h"

namespace mansard::kernels::nvfp4 {
namespace {

using namespace device;

constexpr int kBlocksPerSm = 4;

// Pairs of magnitudes, as 16-bit integers.
struct Largest {
  std::uint32_t of_x = 0;
  std::uint32_t of_rht = 0;
};

__device__ __forceinline__ Largest of_strip(const Strip& strip) {
  Largest largest;
#pragma unroll
  for (int i = 0; i < kStripRows; ++i) {
    largest.of_x = __vmaxu2(largest.of_x, max_pairs(strip.row[i]));
  }
#pragma unroll
  for (int pair = 0; pair < kStripCols / 2; ++pair) {
#pragma unroll
    for (int c = 0; c < 2; ++c) {
      float x[16];
#pragma unroll
      for (int i = 0; i < 16; ++i) {
        x[i] = c == 0 ? low_bf16(strip.word(i, pair)) : high_bf16(strip.word(i, pair));
      }
      std::uint32_t pairs[8];
      fast_rht16(x, pairs);
#pragma unroll
      for (int i = 0; i < 8; ++i) largest.of_rht = max_pairs(largest.of_rht, pairs[i]);
    }
  }
  return largest;
}

// Column-by-column version, for a tile or one warp's bands of it, with the arithmetic that cannot
// overflow between stages.
__device__ __noinline__ Largest of_plain_bands(const QuantizeArguments& a, TileBounds tile,
                                               int only_warp) {
  Largest largest;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int of_warp = kBandsOfWarp * tile.cols;
  const int first = only_warp < 0 ? static_cast<int>(threadIdx.x) : only_warp * of_warp + lane;
  const int end = only_warp < 0 ? kBands * tile.cols : (only_warp + 1) * of_warp;
  for (int i = first; i < end; i += only_warp < 0 ? kStripThreads : 32) {
    float x[16];
    const std::int64_t row = tile.row + i / tile.cols * 16;
#pragma unroll
    for (int r = 0; r < 16; ++r) x[r] = element(a, row + r, tile.col + i % tile.cols);
    largest.of_x = max(largest.of_x, __float_as_uint(max_magnitude(x)) >> 16);
    rht16(x);
    largest.of_rht = max(largest.of_rht, __float_as_uint(max_magnitude(x)) >> 16);
  }
  return largest;
}

__global__ void __launch_bounds__(kStripThreads, kBlocksPerSm)
    nvfp4_amax_rht_kernel(const __grid_constant__ QuantizeArguments a, StripTiles tiles, float* out,
                          float* out_rht, AmaxScratch* scratch) {
  constexpr std::uint32_t kInfinity = 0x7f80;
  Largest largest;
  for (StripTile tile = StripTile::first(tiles); tile.exists(tiles); tile = tile.next(tiles)) {
    const TileBounds t = {tile.row(), tile.col(), kStripTileRows, kStripTileCols};
    const bool whole = t.row + t.rows <= a.shape.rows && t.col + t.cols <= a.shape.cols &&
                       a.shape.cols % kStripCols == 0;
    Largest here;
    if (whole) {
      Strip strip;
      strip.load(a.x + (t.row + band_of_thread() * kStripRows) * a.shape.cols + t.col +
                     lane_of_band() * kStripCols,
                 a.shape.cols);
      here = of_strip(strip);
    }
    const bool finite = max(here.of_rht & 0xffffu, here.of_rht >> 16) < kInfinity;
    if (!whole || __any_sync(0xffffffffu, !finite)) {
      here = of_plain_bands(a, t, whole ? static_cast<int>(threadIdx.x) / 32 : -1);
    }
    largest.of_x = __vmaxu2(largest.of_x, here.of_x);
    largest.of_rht = __vmaxu2(largest.of_rht, here.of_rht);
  }
  const std::uint32_t bits[2] = {block_max(largest.of_x), block_max(largest.of_rht)};
  float* const results[2] = {out, out_rht};
  if (threadIdx.x == 0) grid_max(bits, scratch, results);
}

}  // namespace

void amax_rht(const Bf16* x, Shape shape, float* out, float* out_rht, AmaxScratch* scratch,
              cudaStream_t stream) {
  require_shape("amax of the RHT", shape);
  QuantizeArguments a;
  a.x = x;
  a.shape = shape;
  const StripGrid grid =
      strip_grid(shape, resident_blocks(nvfp4_amax_rht_kernel, kStripThreads, 0));
  nvfp4_amax_rht_kernel<<<static_cast<unsigned>(grid.blocks), kStripThreads, 0, stream>>>(
      a, grid.tiles, out, out_rht, scratch);
  cuda_check(cudaGetLastError(), "launch amax of the RHT");
}

}  // namespace mansard::kernels::nvfp4

namespace mansard::kernels {

void register_nvfp4_amax_rht(KernelRegistry& registry) {
  using namespace nvfp4;
  add_operation(
      registry,
      {.name = "nvfp4_amax_rht",
       .summary = "Largest magnitude (amax) of x and of RHT(x^T), BF16 input (2 B/element)",
       .traffic_bytes = traffic::amax_rht,
       .output_bytes =
           [](Shape) {
             return std::vector<std::int64_t>{4, 4};
           },
       .launch =
           [](const Inputs& in, const Outputs& out, Shape shape, cudaStream_t stream) {
             amax_rht(in.x, shape, as_float(out, 0), as_float(out, 1), in.scratch, stream);
           },
       .reference =
           [](const Inputs& in, const Outputs& out, Shape shape) {
             *as_float(out, 0) = reference::amax(in.x, shape);
             *as_float(out, 1) = reference::amax_rht_transposed(in.x, shape);
           }});
}

}  // namespace mansard::kernels
