// SPDX-License-Identifier: Apache-2.0
// Random tensors generated on the device.
#include "kernels/recipes/fill_random.h"

#include <stdexcept>

#include "kernels/device/cuda_check.h"

namespace mansard::kernels {
namespace {

constexpr int kBlocks = 4096;
constexpr int kThreads = 256;

__global__ void fill_random_kernel(Bf16* data, std::int64_t count, DataPattern pattern,
                                   std::uint64_t seed, int exponent) {
  const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count;
       i += stride) {
    data[i] = random_bf16(pattern, seed, static_cast<std::uint64_t>(i), exponent);
  }
}

// `units`: number of elements of `data`, each of which packs one or more values.
template <ElementFormat kFormat, typename Unit>
__global__ void fill_elements(Unit* data, std::int64_t units, DataPattern pattern,
                              std::uint64_t seed) {
  constexpr int kBits = bits_per_element(kFormat);
  constexpr int kPacked = static_cast<int>(8 * sizeof(Unit)) / kBits;
  const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t u = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; u < units;
       u += stride) {
    std::uint64_t bits = 0;
#pragma unroll
    for (int p = 0; p < kPacked; ++p) {
      const auto i = static_cast<std::uint64_t>(u * kPacked + p);
      bits |= random_bits(kFormat, pattern, seed, i) << (p * kBits);
    }
    data[u] = static_cast<Unit>(bits);
  }
}

template <ElementFormat kFormat, typename Unit>
void fill(void* data, std::int64_t count, DataPattern pattern, std::uint64_t seed,
          cudaStream_t stream) {
  constexpr std::int64_t kPacked = 8 * sizeof(Unit) / bits_per_element(kFormat);
  fill_elements<kFormat>
      <<<kBlocks, kThreads, 0, stream>>>(static_cast<Unit*>(data), count / kPacked, pattern, seed);
}

}  // namespace

void fill_random_on_device(Bf16* data, std::int64_t count, DataPattern pattern, std::uint64_t seed,
                           int exponent, cudaStream_t stream) {
  fill_random_kernel<<<kBlocks, kThreads, 0, stream>>>(data, count, pattern, seed, exponent);
  cuda_check(cudaGetLastError(), "fill a tensor with random values");
}

void fill_random_on_device(ElementFormat format, void* data, std::int64_t count,
                           DataPattern pattern, std::uint64_t seed, cudaStream_t stream) {
  using F = ElementFormat;
  switch (format) {
    case F::fp64:
      fill<F::fp64, std::uint64_t>(data, count, pattern, seed, stream);
      break;
    case F::fp32:
      fill<F::fp32, std::uint32_t>(data, count, pattern, seed, stream);
      break;
    case F::tf32:
      fill<F::tf32, std::uint32_t>(data, count, pattern, seed, stream);
      break;
    case F::fp16:
      fill<F::fp16, std::uint16_t>(data, count, pattern, seed, stream);
      break;
    case F::bf16:
      fill<F::bf16, std::uint16_t>(data, count, pattern, seed, stream);
      break;
    case F::fp8_e4m3:
      fill<F::fp8_e4m3, std::uint8_t>(data, count, pattern, seed, stream);
      break;
    case F::int8:
      fill<F::int8, std::uint8_t>(data, count, pattern, seed, stream);
      break;
    case F::fp4_e2m1:
      fill<F::fp4_e2m1, std::uint8_t>(data, count, pattern, seed, stream);
      break;
    case F::scale_e8m0:
      fill<F::scale_e8m0, std::uint8_t>(data, count, pattern, seed, stream);
      break;
    case F::scale_e4m3:
      fill<F::scale_e4m3, std::uint8_t>(data, count, pattern, seed, stream);
      break;
    case F::int32:
      throw std::logic_error("INT32 is a result format and cannot be filled with a pattern");
  }
  cuda_check(cudaGetLastError(), "fill a tensor with random values");
}

}  // namespace mansard::kernels
