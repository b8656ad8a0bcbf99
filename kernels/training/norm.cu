// SPDX-License-Identifier: Apache-2.0
// A row is owned by a group of threads, each with one, two or four vectors of eight columns in
// registers. A block has as many groups as fit, so that small rows also keep an SM busy.
#include <algorithm>
#include <stdexcept>
#include <type_traits>

#include "kernels/device/cuda_check.h"
#include "kernels/training/bf16_vector.cuh"
#include "kernels/training/cuda_kernels.h"

namespace mansard::kernels {
namespace {

constexpr int kMaxThreads = 512;
constexpr int kMaxWarps = kMaxThreads / 32;

// Geometry of a block: threadIdx.x is the place in the row, threadIdx.y the group.
struct Group {
  int vectors;  // of a row
  int warps;    // of a group
  dim3 block() const {
    const unsigned threads = 32u * static_cast<unsigned>(warps);
    return {threads, std::max(1u, kMaxThreads / threads)};
  }
};

template <int kVectors>
Group group_of(std::int64_t cols) {
  const int vectors = static_cast<int>(cols / Bf16Vector::kSize);
  return {vectors, static_cast<int>(ceil_div(ceil_div(vectors, kVectors), 32))};
}

// Sums two values over the group. All threads of the block must call it.
__device__ float2 sum_over_group(float2 x, float2* scratch) {
#pragma unroll
  for (int offset = 16; offset > 0; offset /= 2) {
    x.x += __shfl_xor_sync(0xffffffffu, x.x, offset);
    x.y += __shfl_xor_sync(0xffffffffu, x.y, offset);
  }
  const int warps = blockDim.x / 32;
  if (warps == 1) return x;
  float2* const of_group = scratch + threadIdx.y * warps;
  __syncthreads();  // the previous sum has been read
  if (threadIdx.x % 32 == 0) of_group[threadIdx.x / 32] = x;
  __syncthreads();
  float2 sum = {0, 0};
  for (int w = 0; w < warps; ++w) sum.x += of_group[w].x, sum.y += of_group[w].y;
  return sum;
}

// The kind is an argument of the kernel, which is limited by memory bandwidth either way, because
// each variant is compiled for every architecture.
template <int kVectors>
__global__ void __launch_bounds__(kMaxThreads) norm_forward_kernel(NormForward o, int vectors) {
  __shared__ float2 scratch[kMaxWarps];
  const std::int64_t row = std::int64_t{blockIdx.x} * blockDim.y + threadIdx.y;
  const bool in_range = row < o.rows;
  Bf16Vector z[kVectors] = {};
  float2 sum = {0, 0};
#pragma unroll
  for (int v = 0; v < kVectors; ++v) {
    const int at = static_cast<int>(threadIdx.x) + v * static_cast<int>(blockDim.x);
    if (!in_range || at >= vectors) continue;
    z[v] = Bf16Vector::load(o.x, row * vectors + at);
    if (o.delta != nullptr) {
      const Bf16Vector delta = Bf16Vector::load(o.delta, row * vectors + at);
#pragma unroll
      for (int e = 0; e < Bf16Vector::kSize; ++e) z[v].x[e] += delta.x[e];
      z[v] = z[v].rounded();
      z[v].store(o.sum, row * vectors + at);
    }
#pragma unroll
    for (const float x : z[v].x) sum.x += x, sum.y += x * x;
  }
  const auto count = static_cast<float>(o.cols);
  sum = sum_over_group(sum, scratch);
  float mean = 0;
  float squares = sum.y;
  if (o.kind == Norm::layer) {
    // A second pass over the registers: the difference of large sums would cancel.
    mean = sum.x / count;
    float2 centered = {0, 0};
#pragma unroll
    for (int v = 0; v < kVectors; ++v) {
      const int at = static_cast<int>(threadIdx.x) + v * static_cast<int>(blockDim.x);
      if (!in_range || at >= vectors) continue;
#pragma unroll
      for (const float x : z[v].x) centered.x += (x - mean) * (x - mean);
    }
    squares = sum_over_group(centered, scratch).x;
  }
  const float inverse = rsqrtf(squares / count + o.epsilon);
  if (in_range && threadIdx.x == 0) {
    o.inverse[row] = inverse;
    if (o.kind == Norm::layer) o.mean[row] = mean;
  }
  std::uint32_t largest = 0;
#pragma unroll
  for (int v = 0; v < kVectors; ++v) {
    const int at = static_cast<int>(threadIdx.x) + v * static_cast<int>(blockDim.x);
    if (!in_range || at >= vectors) continue;
    const Bf16Vector gain = Bf16Vector::load(o.gain, at);
    Bf16Vector out;
#pragma unroll
    for (int e = 0; e < Bf16Vector::kSize; ++e) {
      out.x[e] = (z[v].x[e] - mean) * inverse * gain.x[e];
    }
    if (o.bias != nullptr) {
      const Bf16Vector bias = Bf16Vector::load(o.bias, at);
#pragma unroll
      for (int e = 0; e < Bf16Vector::kSize; ++e) out.x[e] += bias.x[e];
    }
    largest = __vmaxu2(largest, out.store(o.out, row * vectors + at));
  }
  raise_amax(o.amax, largest);
}

// A block keeps its sums of d_gain and d_bias in registers over all of its rows, and writes them to
// its row of the scratch matrix.
template <Norm kKind, int kVectors>
__global__ void __launch_bounds__(kMaxThreads) norm_backward_kernel(NormBackward o, int vectors) {
  __shared__ float2 scratch[kMaxWarps];
  extern __shared__ float column_sums[];  // one row per group
  const auto count = static_cast<float>(o.cols);
  Bf16Vector d_gain[kVectors] = {};
  Bf16Vector d_bias[kVectors] = {};
  Bf16Vector gain[kVectors] = {};
  std::uint32_t largest = 0;
#pragma unroll
  for (int v = 0; v < kVectors; ++v) {
    const int at = static_cast<int>(threadIdx.x) + v * static_cast<int>(blockDim.x);
    if (at < vectors) gain[v] = Bf16Vector::load(o.gain, at);
  }
  const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.y;
  for (std::int64_t first = std::int64_t{blockIdx.x} * blockDim.y; first < o.rows;
       first += stride) {
    const std::int64_t row = first + threadIdx.y;
    const bool in_range = row < o.rows;
    const float mean = kKind == Norm::layer && in_range ? o.mean[row] : 0;
    const float inverse = in_range ? o.inverse[row] : 0;
    Bf16Vector n[kVectors] = {};
    Bf16Vector g[kVectors] = {};
    float2 sum = {0, 0};  // of g and of n g
#pragma unroll
    for (int v = 0; v < kVectors; ++v) {
      const int at = static_cast<int>(threadIdx.x) + v * static_cast<int>(blockDim.x);
      if (!in_range || at >= vectors) continue;
      n[v] = Bf16Vector::load(o.z, row * vectors + at);
      g[v] = Bf16Vector::load(o.d_out, row * vectors + at);
#pragma unroll
      for (int e = 0; e < Bf16Vector::kSize; ++e) {
        n[v].x[e] = (n[v].x[e] - mean) * inverse;
        d_gain[v].x[e] += g[v].x[e] * n[v].x[e];
        if (kKind == Norm::layer) d_bias[v].x[e] += g[v].x[e];
        g[v].x[e] *= gain[v].x[e];
        sum.x += g[v].x[e];
        sum.y += g[v].x[e] * n[v].x[e];
      }
    }
    sum = sum_over_group(sum, scratch);
    const float mean_g = kKind == Norm::layer ? sum.x / count : 0;
    const float mean_ng = sum.y / count;
#pragma unroll
    for (int v = 0; v < kVectors; ++v) {
      const int at = static_cast<int>(threadIdx.x) + v * static_cast<int>(blockDim.x);
      if (!in_range || at >= vectors) continue;
      Bf16Vector d = {};
      if (o.d_residual != nullptr) d = Bf16Vector::load(o.d_residual, row * vectors + at);
#pragma unroll
      for (int e = 0; e < Bf16Vector::kSize; ++e) {
        d.x[e] += inverse * (g[v].x[e] - mean_g - n[v].x[e] * mean_ng);
      }
      largest = __vmaxu2(largest, d.store(o.d_x, row * vectors + at));
    }
  }
  raise_amax(o.amax, largest);
  const auto write_sums = [&](const Bf16Vector(&sums)[kVectors], float* out) {
    __syncthreads();
#pragma unroll
    for (int v = 0; v < kVectors; ++v) {
      const int at = static_cast<int>(threadIdx.x) + v * static_cast<int>(blockDim.x);
      if (at >= vectors) continue;
#pragma unroll
      for (int e = 0; e < Bf16Vector::kSize; ++e) {
        column_sums[threadIdx.y * o.cols + at * Bf16Vector::kSize + e] = sums[v].x[e];
      }
    }
    __syncthreads();
    const int threads = static_cast<int>(blockDim.x * blockDim.y);
    for (int c = static_cast<int>(threadIdx.y * blockDim.x + threadIdx.x); c < o.cols;
         c += threads) {
      float sum = 0;
      for (unsigned group = 0; group < blockDim.y; ++group) sum += column_sums[group * o.cols + c];
      out[std::int64_t{blockIdx.x} * o.cols + c] = sum;
    }
  };
  write_sums(d_gain, o.scratch);
  if constexpr (kKind == Norm::layer) {
    write_sums(d_bias, o.scratch + NormBackward::kPartialRows * o.cols);
  }
}

// Adds the rows of a matrix of partial sums, 32 columns per block.
constexpr int kRowThreads = 16;
__global__ void __launch_bounds__(32 * kRowThreads)
    column_sum_kernel(const float* partials, int rows, int cols, bool accumulate, float* out) {
  __shared__ float sums[kRowThreads][32];
  const int col = static_cast<int>(blockIdx.x * 32 + threadIdx.x);
  float sum = 0;
  if (col < cols) {
    for (int row = static_cast<int>(threadIdx.y); row < rows; row += kRowThreads) {
      sum += partials[std::int64_t{row} * cols + col];
    }
  }
  sums[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y != 0 || col >= cols) return;
  float total = 0;
#pragma unroll
  for (int i = 0; i < kRowThreads; ++i) total += sums[i][threadIdx.x];
  out[col] = accumulate ? out[col] + total : total;
}

void sum_columns(const float* partials, std::int64_t rows, std::int64_t cols, bool accumulate,
                 float* out, cudaStream_t stream) {
  const AnnotatedRange range(kernel_work("sum of columns", "reduction",
                                         4.0 * static_cast<double>((rows + 1) * cols),
                                         Precision::fp32));
  column_sum_kernel<<<static_cast<unsigned>(ceil_div(cols, 32)), dim3(32, kRowThreads), 0,
                      stream>>>(partials, static_cast<int>(rows), static_cast<int>(cols),
                                accumulate, out);
  cuda_check(cudaGetLastError(), "launch a sum of columns");
}

// A block sums 64 columns of every gridDim.y-th set of 32 rows.
constexpr int kBiasVectors = 8;
constexpr int kBiasRows = 32;
__global__ void __launch_bounds__(kBiasVectors* kBiasRows) bias_backward_kernel(BiasBackward o) {
  __shared__ float sums[kBiasRows][kBiasVectors * Bf16Vector::kSize + 1];
  const std::int64_t vectors = o.cols / Bf16Vector::kSize;
  const std::int64_t at = std::int64_t{blockIdx.x} * kBiasVectors + threadIdx.x;
  Bf16Vector sum = {};
  std::uint32_t largest = 0;
  if (at < vectors) {
#pragma unroll 4
    for (std::int64_t row = std::int64_t{blockIdx.y} * kBiasRows + threadIdx.y; row < o.rows;
         row += std::int64_t{gridDim.y} * kBiasRows) {
      const uint4 bits = reinterpret_cast<const uint4*>(o.d_out)[row * vectors + at];
      largest = __vmaxu2(largest, fp8::device::magnitudes(bits));
      const Bf16Vector v = Bf16Vector::widened(bits);
#pragma unroll
      for (int e = 0; e < Bf16Vector::kSize; ++e) sum.x[e] += v.x[e];
    }
  }
#pragma unroll
  for (int e = 0; e < Bf16Vector::kSize; ++e) {
    sums[threadIdx.y][threadIdx.x * Bf16Vector::kSize + e] = sum.x[e];
  }
  raise_amax(o.amax, largest);
  __syncthreads();
  const int c = static_cast<int>(threadIdx.y * kBiasVectors + threadIdx.x);
  const std::int64_t col = std::int64_t{blockIdx.x} * kBiasVectors * Bf16Vector::kSize + c;
  if (c >= kBiasVectors * Bf16Vector::kSize || col >= o.cols) return;
  float total = 0;
#pragma unroll
  for (int row = 0; row < kBiasRows; ++row) total += sums[row][c];
  o.scratch[std::int64_t{blockIdx.y} * o.cols + col] = total;
}

template <int kVectors>
void launch_forward(const NormForward& o, cudaStream_t stream) {
  const Group group = group_of<kVectors>(o.cols);
  const dim3 block = group.block();
  norm_forward_kernel<kVectors>
      <<<static_cast<unsigned>(ceil_div(o.rows, block.y)), block, 0, stream>>>(o, group.vectors);
  cuda_check(cudaGetLastError(), "launch a norm");
}

template <Norm kKind, int kVectors>
void launch_backward(const NormBackward& o, cudaStream_t stream) {
  const Group group = group_of<kVectors>(o.cols);
  const dim3 block = group.block();
  const std::int64_t blocks =
      std::min<std::int64_t>(NormBackward::kPartialRows, ceil_div(o.rows, block.y));
  const std::size_t shared = sizeof(float) * block.y * static_cast<std::size_t>(o.cols);
  const auto kernel = norm_backward_kernel<kKind, kVectors>;
  if (shared > (48u << 10)) {
    cuda_check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    static_cast<int>(shared)),
               "reserve shared memory for the gradient of a norm");
  }
  kernel<<<static_cast<unsigned>(blocks), block, shared, stream>>>(o, group.vectors);
  cuda_check(cudaGetLastError(), "launch the gradient of a norm");
  sum_columns(o.scratch, blocks, o.cols, o.accumulate, o.d_gain, stream);
  if (kKind == Norm::layer) {
    sum_columns(o.scratch + NormBackward::kPartialRows * o.cols, blocks, o.cols, o.accumulate,
                o.d_bias, stream);
  }
}

constexpr std::int64_t kColumns = kMaxThreads * Bf16Vector::kSize;  // with one vector per thread

void require_columns(std::int64_t cols) {
  if (cols <= 4 * kColumns && cols % Bf16Vector::kSize == 0) return;
  throw std::invalid_argument("a norm of " + std::to_string(cols) +
                              " columns: on a GPU it must be a multiple of 8, at most 16384");
}

// Calls body with the kind and the vectors per thread as constants.
template <class Body>
void with_geometry(const NormBackward& o, const Body& body) {
  const auto with_kind = [&](auto kind) {
    if (o.cols <= kColumns) {
      body(kind, std::integral_constant<int, 1>());
    } else if (o.cols <= 2 * kColumns) {
      body(kind, std::integral_constant<int, 2>());
    } else {
      body(kind, std::integral_constant<int, 4>());
    }
  };
  if (o.kind == Norm::rms) {
    with_kind(std::integral_constant<Norm, Norm::rms>());
  } else {
    with_kind(std::integral_constant<Norm, Norm::layer>());
  }
}

}  // namespace

void launch(const NormForward& o, cudaStream_t stream) {
  require_columns(o.cols);
  o.cols <= kColumns ? launch_forward<1>(o, stream) : launch_forward<4>(o, stream);
}

void launch(const NormBackward& o, cudaStream_t stream) {
  require_columns(o.cols);
  with_geometry(o, [&](auto kind, auto vectors) { launch_backward<kind(), vectors()>(o, stream); });
}

void launch(const BiasBackward& o, cudaStream_t stream) {
  const std::int64_t columns = ceil_div(o.cols, kBiasVectors * Bf16Vector::kSize);
  // About 1024 blocks.
  const std::int64_t pieces = std::clamp<std::int64_t>(
      1024 / columns, 1, std::min(NormBackward::kPartialRows, ceil_div(o.rows, kBiasRows)));
  bias_backward_kernel<<<dim3(static_cast<unsigned>(columns), static_cast<unsigned>(pieces)),
                         dim3(kBiasVectors, kBiasRows), 0, stream>>>(o);
  cuda_check(cudaGetLastError(), "launch the gradient of a bias");
  sum_columns(o.scratch, pieces, o.cols, o.accumulate, o.d_bias, stream);
}

}  // namespace mansard::kernels
