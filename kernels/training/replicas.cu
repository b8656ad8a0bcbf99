// SPDX-License-Identifier: Apache-2.0
// Elementwise operations on the weights of replicas; parameters come in multiples of 128.
#include <cuda_bf16.h>

#include "kernels/device/cuda_check.h"
#include "kernels/training/cuda_kernels.h"

namespace mansard::kernels {
namespace {

constexpr int kThreads = 256;

__device__ float4 load(const float* array, std::int64_t i) {
  return reinterpret_cast<const float4*>(array)[i];
}
__device__ void store(float* array, std::int64_t i, const float4& v) {
  reinterpret_cast<float4*>(array)[i] = v;
}

template <class Element>
__device__ float4 each(const float4& a, const float4& b, const Element& element) {
  return {element(a.x, b.x), element(a.y, b.y), element(a.z, b.z), element(a.w, b.w)};
}

// Four elements of an operation.
__device__ void apply(const ScaleWeights& o, std::int64_t i) {
  const float4 w = load(o.weights, i);
  store(o.weights, i, {o.scale * w.x, o.scale * w.y, o.scale * w.z, o.scale * w.w});
}

__device__ void apply(const ElasticStep& o, std::int64_t i) {
  const float4 step = each(load(o.target, i), load(o.copy, i), [&](float target, float copy) {
    return o.elasticity * (o.scale * target - copy);
  });
  const float4 sum =
      each(load(o.master, i), step, [](float master, float change) { return master + change; });
  store(o.master, i, sum);
  auto* const weights = reinterpret_cast<__nv_bfloat162*>(o.weights) + 2 * i;
  weights[0] = __floats2bfloat162_rn(sum.x, sum.y);
  weights[1] = __floats2bfloat162_rn(sum.z, sum.w);
}

__device__ void apply(const CenterStep& o, std::int64_t i) {
  store(o.moved, i, each(load(o.center, i), load(o.copy, i), [&](float center, float copy) {
          return center + o.elasticity * (copy - center);
        }));
}

__device__ void apply(const BlockUpdate& o, std::int64_t i) {
  const float4 global = load(o.global, i);
  const float4 change = each(load(o.sum, i), global,
                             [&](float sum, float g) { return o.rate * (o.scale * sum - g); });
  const float4 velocity =
      each(load(o.velocity, i), change, [&](float v, float c) { return o.momentum * v + c; });
  const float4 updated = each(global, velocity, [](float g, float v) { return g + v; });
  store(o.velocity, i, velocity);
  store(o.global, i, updated);
  store(o.sum, i, updated);
}

template <class Operation>
__global__ void __launch_bounds__(kThreads) elementwise_kernel(Operation o) {
  const std::int64_t i = std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (4 * i < o.count) apply(o, i);
}

template <class Operation>
void launch_elementwise(const Operation& o, cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>(ceil_div(o.count, 4 * kThreads));
  elementwise_kernel<<<blocks, kThreads, 0, stream>>>(o);
  cuda_check(cudaGetLastError(), std::string("launch an operation '") + Operation::kName + "'");
}

}  // namespace

void launch(const CopyWeights& o, cudaStream_t stream) {
  cuda_check(cudaMemcpyAsync(o.to, o.from, static_cast<std::size_t>(4 * o.count),
                             cudaMemcpyDeviceToDevice, stream),
             "copy the weights");
}
void launch(const ScaleWeights& o, cudaStream_t stream) { launch_elementwise(o, stream); }
void launch(const ElasticStep& o, cudaStream_t stream) { launch_elementwise(o, stream); }
void launch(const CenterStep& o, cudaStream_t stream) { launch_elementwise(o, stream); }
void launch(const BlockUpdate& o, cudaStream_t stream) { launch_elementwise(o, stream); }

}  // namespace mansard::kernels
