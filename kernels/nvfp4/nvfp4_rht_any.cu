// SPDX-License-Identifier: Apache-2.0
// Hadamard transform of x^T for any element type and transform, stored in BF16. From BF16 it moves
// 2 + 2 = 4 B per element.
#include "kernels/device/cuda_check.h"
#include "kernels/nvfp4/device/float_columns.cuh"
#include "kernels/nvfp4/nvfp4.h"
#include "kernels/nvfp4/operation.h"
#include "kernels/nvfp4/reference.h"

namespace mansard::kernels::nvfp4 {
namespace {

using namespace device;

// The values are already BF16: their low halves are zero.
__device__ __forceinline__ std::uint32_t pack(float low, float high) {
  return __byte_perm(__float_as_uint(low), __float_as_uint(high), 0x7632);
}

template <typename T>
__global__ void __launch_bounds__(FloatTile::kThreads)
    nvfp4_rht_any_kernel(const T* __restrict__ x, Shape shape,
                         const __grid_constant__ Hadamard hadamard, FloatTiles tiles,
                         Bf16* __restrict__ out) {
  __shared__ FloatTile tile;
  const std::int64_t row = blockIdx.x / tiles.across * FloatTile::kRows;
  const std::int64_t col = blockIdx.x % tiles.across * FloatTile::kCols;
  tile.load(x, shape, row, col);
  __syncthreads();
  // The eight pairs of a block use the first eight of its 16 places.
  for_each_column_block(tile, hadamard, [&](int band, int c, const float(&block)[16]) {
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      tile.values[band * 16 + i][c] = __uint_as_float(pack(block[2 * i], block[2 * i + 1]));
    }
  });
  __syncthreads();
  // Eight lanes write 32 bytes of a row of `out`; a warp writes four rows, and next the following
  // bytes of each.
  constexpr int kPairs = 8;
  constexpr int kColsOfWarp = 32 / kPairs;
  constexpr int kItems = FloatTile::kCols * FloatTile::kBands * kPairs;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  for (int item = static_cast<int>(threadIdx.x); item < kItems; item += FloatTile::kThreads) {
    const int group = item / 32;
    const int band = group % FloatTile::kBands;
    const int c = group / FloatTile::kBands * kColsOfWarp + lane / kPairs;
    const std::int64_t out_row = col + c;
    const std::int64_t out_col = row + band * 16 + lane % kPairs * 2;
    if (out_row >= shape.cols || out_col >= shape.rows) continue;
    const std::uint32_t pair = __float_as_uint(tile.values[band * 16 + lane % kPairs][c]);
    Bf16* const target = out + out_row * shape.rows + out_col;
    if (shape.rows % 2 == 0) {
      *reinterpret_cast<std::uint32_t*>(target) = pair;
      continue;
    }
    target[0].bits = static_cast<std::uint16_t>(pair);
    if (out_col + 1 < shape.rows) target[1].bits = static_cast<std::uint16_t>(pair >> 16);
  }
}

}  // namespace

void rht_transposed(Input x, Shape shape, const Hadamard& hadamard, Bf16* out,
                    cudaStream_t stream) {
  if (x.type == ElementType::bf16 && hadamard == Hadamard(Transform::rht)) {
    return rht_transposed(static_cast<const Bf16*>(x.data), shape, out, stream);
  }
  require_shape("RHT", shape);
  require_hadamard("RHT", hadamard, 4);
  const FloatTiles tiles = float_tiles(shape);
  for_element_type(x, [&](const auto* data) {
    nvfp4_rht_any_kernel<<<static_cast<unsigned>(tiles.count), FloatTile::kThreads, 0, stream>>>(
        data, shape, hadamard, tiles, out);
  });
  cuda_check(cudaGetLastError(), "launch the RHT");
}

}  // namespace mansard::kernels::nvfp4

namespace mansard::kernels {
namespace {

using namespace nvfp4;

template <int kSize>
void add_transform(KernelRegistry& registry, const char* name, const char* summary) {
  constexpr std::uint64_t kSeed = 1;
  add_operation(registry,
                {.name = name,
                 .summary = summary,
                 .traffic_bytes = traffic::rht,
                 .output_bytes = [](Shape s) { return std::vector<std::int64_t>{bf16_bytes(s)}; },
                 .launch =
                     [](const Inputs& in, const Outputs& out, Shape shape, cudaStream_t stream) {
                       rht_transposed(in.input, shape, Hadamard::random(kSize, kSeed),
                                      as_bf16(out, 0), stream);
                     },
                 .reference =
                     [](const Inputs& in, const Outputs& out, Shape shape) {
                       reference::rht_transposed(in.input, shape, as_bf16(out, 0),
                                                 Hadamard::random(kSize, kSeed));
                     }});
}

}  // namespace

// The shortest and the longest transform, and one whose size is not a power of four.
void register_nvfp4_rht_any(KernelRegistry& registry) {
  add_transform<4>(registry, "nvfp4_rht_4",
                   "Size-4 random Hadamard transform of the transpose, in BF16 (4 B/element)");
  add_transform<32>(registry, "nvfp4_rht_32",
                    "Size-32 random Hadamard transform of the transpose, in BF16 (4 B/element)");
  add_transform<128>(registry, "nvfp4_rht_128",
                     "Size-128 random Hadamard transform of the transpose, in BF16 (4 B/element)");
}

}  // namespace mansard::kernels
