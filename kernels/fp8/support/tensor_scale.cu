// SPDX-License-Identifier: Apache-2.0
// Computes the scale of a tensor, and updates the amax history of delayed scaling.
#include <stdexcept>

#include "kernels/device/cuda_check.h"
#include "kernels/fp8/device/arithmetic.cuh"
#include "kernels/fp8/dispatch.h"
#include "kernels/fp8/fp8.h"

namespace mansard::kernels::fp8 {
namespace {

using namespace device;

template <Format F>
__global__ void fp8_tensor_scale_kernel(const float* amax, TensorScale* scale) {
  *scale = tensor_scale<F>(*amax);
}

constexpr int kHistoryThreads = 256;

// One thread block. Shifts from the old end, so that values are read before they are overwritten.
template <Format F>
__global__ void __launch_bounds__(kHistoryThreads)
    fp8_delayed_scale_kernel(AmaxChoice choice, float* amax, float* history, int length,
                             TensorScale* scale) {
  __shared__ std::uint32_t warp_max[kHistoryThreads / 32];
  const std::uint32_t newest = __float_as_uint(*amax);
  std::uint32_t largest = 0;
  for (int end = length; end > 0; end -= kHistoryThreads) {
    const int i = end - kHistoryThreads + static_cast<int>(threadIdx.x);
    std::uint32_t value = 0;
    if (i >= 0) value = i == 0 ? newest : __float_as_uint(history[i - 1]);
    __syncthreads();
    if (i >= 0) history[i] = __uint_as_float(value);
    largest = max(largest, value);
  }
  largest = __reduce_max_sync(0xffffffffu, largest);
  if (threadIdx.x % 32 == 0) warp_max[threadIdx.x / 32] = largest;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (const std::uint32_t of_warp : warp_max) largest = max(largest, of_warp);
  *scale = tensor_scale<F>(__uint_as_float(choice == AmaxChoice::newest ? newest : largest));
  *amax = 0.0f;
}

}  // namespace

void scale_from_amax(Format format, const float* amax, TensorScale* scale, cudaStream_t stream) {
  for_format(format,
             [&](auto f) { fp8_tensor_scale_kernel<f.value><<<1, 1, 0, stream>>>(amax, scale); });
  cuda_check(cudaGetLastError(), "launch scale from amax");
}

void update_delayed_scale(Format format, AmaxChoice choice, float* amax, float* history, int length,
                          TensorScale* scale, cudaStream_t stream) {
  if (length < 1)
    throw std::invalid_argument("cannot update a delayed scale: the amax history has no entries");
  for_format(format, [&](auto f) {
    fp8_delayed_scale_kernel<f.value>
        <<<1, kHistoryThreads, 0, stream>>>(choice, amax, history, length, scale);
  });
  cuda_check(cudaGetLastError(), "launch the update of a delayed scale");
}

}  // namespace mansard::kernels::fp8
