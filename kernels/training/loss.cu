// SPDX-License-Identifier: Apache-2.0
// A block computes one row of logits. The second pass reads the row from L2.
#include "kernels/device/cuda_check.h"
#include "kernels/training/bf16_vector.cuh"
#include "kernels/training/cuda_kernels.h"

namespace mansard::kernels {
namespace {

constexpr int kThreads = 512;
constexpr int kWarps = kThreads / 32;
constexpr float kLog2E = 1.4426950408889634f;

// The largest logit of some elements, and the sum of exp(logit - largest).
struct Softmax {
  float largest = -INFINITY;
  float sum = 0;

  __device__ void add(const Softmax& other) {
    const float before = largest;
    largest = fmaxf(largest, other.largest);
    if (largest == -INFINITY) return;  // both are empty
    sum = sum * exp2f((before - largest) * kLog2E) +
          other.sum * exp2f((other.largest - largest) * kLog2E);
  }
};

__device__ Softmax reduce_over_block(Softmax s) {
  __shared__ Softmax of_warps[kWarps];
#pragma unroll
  for (int offset = 16; offset > 0; offset /= 2) {
    Softmax other;
    other.largest = __shfl_xor_sync(0xffffffffu, s.largest, offset);
    other.sum = __shfl_xor_sync(0xffffffffu, s.sum, offset);
    s.add(other);
  }
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = s;
  __syncthreads();
  Softmax all;
  for (int w = 0; w < kWarps; ++w) all.add(of_warps[w]);
  return all;
}

__global__ void __launch_bounds__(kThreads) cross_entropy_kernel(CrossEntropy o) {
  Bf16* logits = o.logits + std::int64_t{blockIdx.x} * o.cols;
  const int vocabulary = static_cast<int>(o.vocabulary);
  const int vectors = static_cast<int>(o.cols) / Bf16Vector::kSize;
  const int target = o.targets[blockIdx.x];
  // The gradient overwrites the target's logit.
  const float target_logit = __uint_as_float(std::uint32_t{logits[target].bits} << 16);

  Softmax mine;
  for (int i = threadIdx.x; i * Bf16Vector::kSize < vocabulary; i += kThreads) {
    const Bf16Vector v = Bf16Vector::load(logits, i);
    // One rescaling per vector instead of one per element.
    float largest = mine.largest;
#pragma unroll
    for (int e = 0; e < Bf16Vector::kSize; ++e) {
      if (i * Bf16Vector::kSize + e < vocabulary) largest = fmaxf(largest, v.x[e]);
    }
    mine.sum *= exp2f((mine.largest - largest) * kLog2E);
    mine.largest = largest;
#pragma unroll
    for (int e = 0; e < Bf16Vector::kSize; ++e) {
      if (i * Bf16Vector::kSize + e < vocabulary) {
        mine.sum += exp2f((v.x[e] - largest) * kLog2E);
      }
    }
  }
  const Softmax all = reduce_over_block(mine);
  const float log_sum = all.largest + logf(all.sum);
  if (threadIdx.x == 0) o.losses[blockIdx.x] = log_sum - target_logit;
  if (o.gradient_scale == 0) return;
  for (int i = threadIdx.x; i < vectors; i += kThreads) {
    Bf16Vector v = Bf16Vector::load(logits, i);
#pragma unroll
    for (int e = 0; e < Bf16Vector::kSize; ++e) {
      const int c = i * Bf16Vector::kSize + e;
      const float probability = c < vocabulary ? exp2f((v.x[e] - log_sum) * kLog2E) : 0;
      v.x[e] = (probability - (c == target ? 1.0f : 0.0f)) * o.gradient_scale;
    }
    v.store(logits, i);
  }
}

}  // namespace

void launch(const CrossEntropy& o, cudaStream_t stream) {
  cross_entropy_kernel<<<static_cast<unsigned>(o.rows), kThreads, 0, stream>>>(o);
  cuda_check(cudaGetLastError(), "launch the loss");
}

}  // namespace mansard::kernels
