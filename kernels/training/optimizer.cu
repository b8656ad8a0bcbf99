// SPDX-License-Identifier: Apache-2.0
#include <cuda_bf16.h>

#include "kernels/device/cuda_check.h"
#include "kernels/training/cuda_kernels.h"

namespace mansard::kernels {
namespace {

constexpr int kThreads = 256;

// The sum over a block, valid in thread 0.
__device__ float block_sum(float x) {
  __shared__ float of_warps[kThreads / 32];
#pragma unroll
  for (int offset = 16; offset > 0; offset /= 2) x += __shfl_xor_sync(0xffffffffu, x, offset);
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = x;
  __syncthreads();
  float sum = 0;
  for (const float w : of_warps) sum += w;
  return sum;
}

__global__ void __launch_bounds__(kThreads) partial_sum_kernel(Sum o) {
  const std::int64_t stride = std::int64_t{gridDim.x} * kThreads;
  const std::int64_t first = std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
  const std::int64_t vectors = o.count / 4;
  const auto term = [&](float x) { return o.squares ? x * x : x; };
  float sum = 0;
#pragma unroll 4
  for (std::int64_t i = first; i < vectors; i += stride) {
    const float4 v = reinterpret_cast<const float4*>(o.x)[i];
    sum += (term(v.x) + term(v.y)) + (term(v.z) + term(v.w));
  }
  if (4 * vectors + first < o.count) sum += term(o.x[4 * vectors + first]);
  sum = block_sum(sum);
  if (threadIdx.x == 0) o.partials[blockIdx.x] = sum;
}

__global__ void __launch_bounds__(kThreads) final_sum_kernel(Sum o) {
  float sum = 0;
  for (int i = threadIdx.x; i < Sum::kPartials; i += kThreads) sum += o.partials[i];
  sum = block_sum(sum);
  if (threadIdx.x == 0) *o.out = sum;
}

// Four parameters per thread.
__global__ void __launch_bounds__(kThreads) adamw_kernel(AdamW o) {
  const std::int64_t i = std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (4 * i >= o.count) return;
  const float norm = sqrtf(*o.squared_norm);
  const float scale = o.max_norm > 0 && norm > o.max_norm ? o.max_norm / norm : 1.0f;
  const AdamWStep step = *o.step;
  const float decay = 4 * i < o.decayed ? o.weight_decay : 0.0f;
  const auto at = [i](float* array) { return reinterpret_cast<float4*>(array) + i; };
  const float4 g = reinterpret_cast<const float4*>(o.gradient)[i];
  float4 m = *at(o.first_moment);
  float4 v = *at(o.second_moment);
  float4 master = *at(o.master);
  const auto update = [&](float gradient, float& first, float& second, float& weight) {
    gradient *= scale;
    first = o.beta1 * first + (1 - o.beta1) * gradient;
    second = o.beta2 * second + (1 - o.beta2) * gradient * gradient;
    const float direction =
        first * step.correction1 / (sqrtf(second * step.correction2) + o.epsilon);
    weight -= step.learning_rate * (direction + decay * weight);
  };
  update(g.x, m.x, v.x, master.x);
  update(g.y, m.y, v.y, master.y);
  update(g.z, m.z, v.z, master.z);
  update(g.w, m.w, v.w, master.w);
  *at(o.first_moment) = m;
  *at(o.second_moment) = v;
  *at(o.master) = master;
  auto* weights = reinterpret_cast<__nv_bfloat162*>(o.weights) + 2 * i;
  weights[0] = __floats2bfloat162_rn(master.x, master.y);
  weights[1] = __floats2bfloat162_rn(master.z, master.w);
}

}  // namespace

void launch(const Sum& o, cudaStream_t stream) {
  partial_sum_kernel<<<Sum::kPartials, kThreads, 0, stream>>>(o);
  const AnnotatedRange range(
      kernel_work("sum of sums", "reduction", 4.0 * Sum::kPartials, Precision::fp32));
  final_sum_kernel<<<1, kThreads, 0, stream>>>(o);
  cuda_check(cudaGetLastError(), "launch a sum");
}

// Parameters start and end at multiples of 128 elements, so a thread never crosses a border.
void launch(const AdamW& o, cudaStream_t stream) {
  adamw_kernel<<<static_cast<unsigned>(ceil_div(o.count, 4 * kThreads)), kThreads, 0, stream>>>(o);
  cuda_check(cudaGetLastError(), "launch AdamW");
}

}  // namespace mansard::kernels
