// SPDX-License-Identifier: Apache-2.0
// Largest magnitudes of a matrix of any element type and of its transformed transpose, for any
// Hadamard transform. Reads 2 or 4 B per element.
#include <algorithm>
#include <type_traits>

#include "kernels/device/cuda_check.h"
#include "kernels/device/resident_blocks.h"
#include "kernels/nvfp4/device/amax_scratch.cuh"
#include "kernels/nvfp4/device/float_columns.cuh"
#include "kernels/nvfp4/operation.h"
#include "kernels/nvfp4/reference.h"

namespace mansard::kernels::nvfp4 {
namespace {

using namespace device;

constexpr int kThreads = 256;
constexpr int kInFlight = 8;  // independent 16-byte loads per thread

// FP16's conversion maps all NaNs to one; this is CUDA's, which the reference uses too.
template <typename T>
__device__ __forceinline__ std::uint32_t canonical(std::uint32_t bits) {
  return std::is_same_v<T, Half> && bits > 0x7f800000u ? 0x7fffffffu : bits;
}

template <typename T>
__device__ __forceinline__ std::uint32_t max_of(std::uint32_t largest, const uint4& vector) {
  const T* const elements = reinterpret_cast<const T*>(&vector);
#pragma unroll
  for (int i = 0; i < 16 / static_cast<int>(sizeof(T)); ++i) {
    largest = max(largest, magnitude_bits(to_float(elements[i])));
  }
  return largest;
}

// A persistent grid: the number of atomic operations on one word is the number of thread blocks.
template <typename T>
__global__ void __launch_bounds__(kThreads)
    nvfp4_amax_any_kernel(const T* __restrict__ x, std::int64_t elements, float* out,
                          AmaxScratch* scratch) {
  constexpr std::int64_t kElements = kThreads * kInFlight * (16 / sizeof(T));
  const std::int64_t whole = elements / kElements;
  std::uint32_t largest = 0;
  for (std::int64_t tile = blockIdx.x; tile < whole; tile += gridDim.x) {
    const auto* const vectors = reinterpret_cast<const uint4*>(x + tile * kElements) + threadIdx.x;
    uint4 v[kInFlight];
#pragma unroll
    for (int i = 0; i < kInFlight; ++i) v[i] = __ldcs(vectors + i * kThreads);
#pragma unroll
    for (int i = 0; i < kInFlight; ++i) largest = max_of<T>(largest, v[i]);
  }
  if (blockIdx.x == 0) {
    for (std::int64_t i = whole * kElements + threadIdx.x; i < elements; i += kThreads) {
      largest = max(largest, magnitude_bits(to_float(x[i])));
    }
  }
  const std::uint32_t bits[1] = {canonical<T>(block_max_bits(largest))};
  float* const results[1] = {out};
  if (threadIdx.x == 0) grid_max(bits, scratch, results);
}

template <typename T>
__global__ void __launch_bounds__(FloatTile::kThreads)
    nvfp4_amax_rht_any_kernel(const T* __restrict__ x, Shape shape,
                              const __grid_constant__ Hadamard hadamard, FloatTiles tiles,
                              float* out, float* out_rht, AmaxScratch* scratch) {
  __shared__ FloatTile tile;
  std::uint32_t of_x = 0;
  std::uint32_t of_rht = 0;
  for (std::int64_t i = blockIdx.x; i < tiles.count; i += gridDim.x) {
    of_x = max(of_x, tile.load(x, shape, i / tiles.across * FloatTile::kRows,
                               i % tiles.across * FloatTile::kCols));
    __syncthreads();
    for_each_column_block(tile, hadamard, [&](int, int, const float(&block)[16]) {
      of_rht = max(of_rht, __float_as_uint(max_magnitude(block)));
    });
    __syncthreads();  // the next tile overwrites this one
  }
  const std::uint32_t bits[2] = {canonical<T>(block_max_bits(of_x)), block_max_bits(of_rht)};
  float* const results[2] = {out, out_rht};
  if (threadIdx.x == 0) grid_max(bits, scratch, results);
}

template <typename T>
void launch_amax(const T* x, Shape shape, float* out, AmaxScratch* scratch, cudaStream_t stream) {
  constexpr std::int64_t kElements = kThreads * kInFlight * (16 / sizeof(T));
  const std::int64_t tiles = (shape.elements() + kElements - 1) / kElements;
  const auto blocks = static_cast<unsigned>(
      std::min<std::int64_t>(tiles, resident_blocks(nvfp4_amax_any_kernel<T>, kThreads, 0)));
  nvfp4_amax_any_kernel<<<blocks, kThreads, 0, stream>>>(x, shape.elements(), out, scratch);
}

template <typename T>
void launch_amax_rht(const T* x, Shape shape, const Hadamard& hadamard, float* out, float* out_rht,
                     AmaxScratch* scratch, cudaStream_t stream) {
  const FloatTiles tiles = float_tiles(shape);
  const auto blocks = static_cast<unsigned>(std::min<std::int64_t>(
      tiles.count, resident_blocks(nvfp4_amax_rht_any_kernel<T>, FloatTile::kThreads, 0)));
  nvfp4_amax_rht_any_kernel<<<blocks, FloatTile::kThreads, 0, stream>>>(x, shape, hadamard, tiles,
                                                                        out, out_rht, scratch);
}

}  // namespace

void amax(Input x, Shape shape, float* out, AmaxScratch* scratch, cudaStream_t stream) {
  require_shape("amax", shape);
  for_element_type(x, [&]<typename T>(const T* data) {
    if constexpr (std::is_same_v<T, Bf16>) {
      amax(data, shape, out, scratch, stream);
    } else {
      launch_amax(data, shape, out, scratch, stream);
    }
  });
  cuda_check(cudaGetLastError(), "launch amax");
}

void amax_rht(Input x, Shape shape, const Hadamard& hadamard, float* out, float* out_rht,
              AmaxScratch* scratch, cudaStream_t stream) {
  if (x.type == ElementType::bf16 && hadamard == Hadamard(Transform::rht)) {
    return amax_rht(static_cast<const Bf16*>(x.data), shape, out, out_rht, scratch, stream);
  }
  require_shape("amax of the RHT", shape);
  require_hadamard("amax of the RHT", hadamard, 4);
  for_element_type(x, [&](const auto* data) {
    launch_amax_rht(data, shape, hadamard, out, out_rht, scratch, stream);
  });
  cuda_check(cudaGetLastError(), "launch amax of the RHT");
}

}  // namespace mansard::kernels::nvfp4

namespace mansard::kernels {
namespace {

using namespace nvfp4;

template <ElementType kType>
void add_amax_rht(KernelRegistry& registry, const char* name, const char* summary) {
  add_operation(
      registry,
      {.name = name,
       .summary = summary,
       .traffic_bytes = [](Shape s) { return traffic::amax_rht(s, element_bytes(kType)); },
       .output_bytes =
           [](Shape) {
             return std::vector<std::int64_t>{4, 4};
           },
       .launch =
           [](const Inputs& in, const Outputs& out, Shape shape, cudaStream_t stream) {
             amax_rht(in.input, shape, Hadamard(), as_float(out, 0), as_float(out, 1), in.scratch,
                      stream);
           },
       .reference =
           [](const Inputs& in, const Outputs& out, Shape shape) {
             *as_float(out, 0) = reference::amax(in.input, shape);
             *as_float(out, 1) = reference::amax_rht_transposed(in.input, shape);
           },
       .element = kType});
}

}  // namespace

void register_nvfp4_amax_any(KernelRegistry& registry) {
  add_amax_rht<ElementType::fp16>(
      registry, "nvfp4_amax_rht_fp16",
      "Largest magnitude (amax) of x and of RHT(x^T), FP16 input (2 B/element)");
  add_amax_rht<ElementType::fp32>(
      registry, "nvfp4_amax_rht_fp32",
      "Largest magnitude (amax) of x and of RHT(x^T), FP32 input (4 B/element)");
}

}  // namespace mansard::kernels
