// SPDX-License-Identifier: Apache-2.0
// The inputs of kernels/nvfp4/random_input.h, made on the device.
#include "kernels/device/cuda_check.h"
#include "kernels/nvfp4/random_input.h"
#include "kernels/recipes/fill_random.h"

namespace mansard {
namespace {

__global__ void fill_random_kernel(Bf16* data, std::int64_t count, DataPattern pattern,
                                   std::uint64_t seed, int exponent) {
  const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count;
       i += stride) {
    data[i] = random_bf16(pattern, seed, static_cast<std::uint64_t>(i), exponent);
  }
}

}  // namespace

void fill_random_on_device(Bf16* data, std::int64_t count, DataPattern pattern, std::uint64_t seed,
                           int exponent, cudaStream_t stream) {
  fill_random_kernel<<<4096, 256, 0, stream>>>(data, count, pattern, seed, exponent);
  cuda_check(cudaGetLastError(), "fill a tensor with random values");
}

}  // namespace mansard
