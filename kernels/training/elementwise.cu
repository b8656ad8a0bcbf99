// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/cuda_check.h"
#include "kernels/training/bf16_vector.cuh"
#include "kernels/training/cuda_kernels.h"

namespace mansard::kernels {
namespace {

constexpr int kThreads = 256;

// Runs body(i) for i in [0, count), one thread each.
template <class Body>
__global__ void __launch_bounds__(kThreads) for_each_kernel(std::int64_t count, Body body) {
  const std::int64_t i = std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (i < count) body(i);
}

template <class Body>
void for_each(std::int64_t count, cudaStream_t stream, const char* what, const Body& body) {
  for_each_kernel<<<static_cast<unsigned>(ceil_div(count, kThreads)), kThreads, 0, stream>>>(count,
                                                                                             body);
  cuda_check(cudaGetLastError(), std::string("launch ") + what);
}

// As for_each(), with bodies that return the magnitudes that they store (Bf16Vector::store).
template <class Body>
__global__ void __launch_bounds__(kThreads)
    for_each_amax_kernel(std::int64_t count, Body body, float* amax) {
  const std::int64_t i = std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
  raise_amax(amax, i < count ? body(i) : 0);
}

template <class Body>
void for_each(std::int64_t count, float* amax, cudaStream_t stream, const char* what,
              const Body& body) {
  for_each_amax_kernel<<<static_cast<unsigned>(ceil_div(count, kThreads)), kThreads, 0, stream>>>(
      count, body, amax);
  cuda_check(cudaGetLastError(), std::string("launch ") + what);
}

struct EmbeddingForwardBody {
  EmbeddingForward o;
  __device__ void operator()(std::int64_t i) const {
    const std::int64_t vectors = o.cols / Bf16Vector::kSize;
    const std::int64_t row = i / vectors;
    const std::int64_t at = i % vectors;
    Bf16Vector v = Bf16Vector::load(o.table, o.tokens[row] * vectors + at);
    if (o.positions != nullptr) {
      const Bf16Vector position = Bf16Vector::load(o.positions, row % o.sequence * vectors + at);
#pragma unroll
      for (int e = 0; e < Bf16Vector::kSize; ++e) v.x[e] += position.x[e];
    }
    v.store(o.out, i);
  }
};

// A block sums the rows of one token, for 256 columns. Its warps take the rows in turn, and their
// sums are added in the order of the warps.
constexpr int kGroupWarps = kThreads / 32;
__global__ void __launch_bounds__(kThreads)
    embedding_backward_kernel(TokenGroups groups, const Bf16* d_out, float* d_table, int cols) {
  const int start = groups.start[blockIdx.x];
  const int end = groups.start[blockIdx.x + 1];
  if (start == end) return;
  __shared__ float sums[kGroupWarps][32 * Bf16Vector::kSize];
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  const int vectors = cols / Bf16Vector::kSize;
  const int vector = blockIdx.y * 32 + lane;
  Bf16Vector sum = {};
  if (vector < vectors) {
#pragma unroll 4
    for (int i = start + warp; i < end; i += kGroupWarps) {
      const Bf16Vector v = Bf16Vector::load(d_out, std::int64_t{groups.row[i]} * vectors + vector);
#pragma unroll
      for (int e = 0; e < Bf16Vector::kSize; ++e) sum.x[e] += v.x[e];
    }
  }
#pragma unroll
  for (int e = 0; e < Bf16Vector::kSize; ++e) sums[warp][e * 32 + lane] = sum.x[e];
  __syncthreads();
  // One column per thread.
  const int col = blockIdx.y * 32 * Bf16Vector::kSize + threadIdx.x;
  if (col >= cols) return;
  const int at = threadIdx.x % Bf16Vector::kSize * 32 + threadIdx.x / Bf16Vector::kSize;
  float total = 0;
#pragma unroll
  for (int w = 0; w < kGroupWarps; ++w) total += sums[w][at];
  d_table[std::int64_t{groups.token[blockIdx.x]} * cols + col] += total;
}

struct PositionBackwardBody {
  EmbeddingBackward o;
  __device__ void operator()(std::int64_t i) const {
    const std::int64_t stride = o.sequence * o.cols / Bf16Vector::kSize;
    Bf16Vector sum = {};
    for (std::int64_t at = i; at < o.rows / o.sequence * stride; at += stride) {
      const Bf16Vector v = Bf16Vector::load(o.d_out, at);
#pragma unroll
      for (int e = 0; e < Bf16Vector::kSize; ++e) sum.x[e] += v.x[e];
    }
    float* out = o.d_positions + i * Bf16Vector::kSize;
#pragma unroll
    for (int e = 0; e < Bf16Vector::kSize; ++e) {
      out[e] = o.accumulate_positions ? out[e] + sum.x[e] : sum.x[e];
    }
  }
};

// Rotates eight pairs, or reads eight elements of V after all pairs. The head size must be a
// multiple of 16.
struct RopeBody {
  Rope o;
  std::int64_t pairs;  // vectors of pairs
  __device__ std::uint32_t operator()(std::int64_t i) const {
    if (i >= pairs) return read_v(i - pairs);
    const int vectors = static_cast<int>(o.shape.head_size) / 2 / Bf16Vector::kSize;  // per half
    const int heads = static_cast<int>(o.shape.heads + o.shape.kv_heads);
    const int at = static_cast<int>(i % vectors);
    const int head = static_cast<int>(i / vectors % heads);
    const std::int64_t row = i / vectors / heads;
    Bf16* x = o.qkv + row * o.shape.qkv_cols() + head * o.shape.head_size;
    const auto* angles = reinterpret_cast<const float4*>(
        o.table + (row % o.shape.sequence * vectors + at) * 2 * Bf16Vector::kSize);
    const Bf16Vector a = Bf16Vector::load(x, at);
    const Bf16Vector b = Bf16Vector::load(x, vectors + at);
    Bf16Vector out_a, out_b;
    const auto rotate = [&](int e, float cosine, float sine) {
      if (o.inverse) sine = -sine;
      out_a.x[e] = a.x[e] * cosine - b.x[e] * sine;
      out_b.x[e] = b.x[e] * cosine + a.x[e] * sine;
    };
#pragma unroll
    for (int e = 0; e < Bf16Vector::kSize; e += 2) {
      const float4 two = __ldg(angles + e / 2);
      rotate(e, two.x, two.y);
      rotate(e + 1, two.z, two.w);
    }
    return __vmaxu2(out_a.store(x, at), out_b.store(x, vectors + at));
  }
  __device__ std::uint32_t read_v(std::int64_t i) const {
    const std::int64_t vectors = o.shape.kv_heads * o.shape.head_size / Bf16Vector::kSize;
    const std::int64_t row = i / vectors;
    const Bf16* v = o.qkv + (row + 1) * o.shape.qkv_cols() - o.shape.kv_heads * o.shape.head_size;
    return fp8::device::magnitudes(reinterpret_cast<const uint4*>(v)[i % vectors]);
  }
};

__device__ float sigmoid(float x) { return __fdividef(1.0f, 1.0f + __expf(-x)); }

struct SwigluForwardBody {
  SwigluForward o;
  __device__ std::uint32_t operator()(std::int64_t i) const {
    const std::int64_t vectors = o.width / Bf16Vector::kSize;
    const std::int64_t gate_at = i / vectors * 2 * vectors + i % vectors;
    const Bf16Vector gate = Bf16Vector::load(o.gate_up, gate_at);
    const Bf16Vector up = Bf16Vector::load(o.gate_up, gate_at + vectors);
    Bf16Vector out;
#pragma unroll
    for (int e = 0; e < Bf16Vector::kSize; ++e) {
      out.x[e] = gate.x[e] * sigmoid(gate.x[e]) * up.x[e];
    }
    return out.store(o.out, i);
  }
};

struct SwigluBackwardBody {
  SwigluBackward o;
  __device__ std::uint32_t operator()(std::int64_t i) const {
    const std::int64_t vectors = o.width / Bf16Vector::kSize;
    const std::int64_t gate_at = i / vectors * 2 * vectors + i % vectors;
    const Bf16Vector gate = Bf16Vector::load(o.gate_up, gate_at);
    const Bf16Vector up = Bf16Vector::load(o.gate_up, gate_at + vectors);
    const Bf16Vector d = Bf16Vector::load(o.d_out, i);
    Bf16Vector d_gate, d_up;
#pragma unroll
    for (int e = 0; e < Bf16Vector::kSize; ++e) {
      const float s = sigmoid(gate.x[e]);
      d_gate.x[e] = d.x[e] * up.x[e] * s * (1 + gate.x[e] * (1 - s));
      d_up.x[e] = d.x[e] * gate.x[e] * s;
    }
    return __vmaxu2(d_gate.store(o.d_gate_up, gate_at), d_up.store(o.d_gate_up, gate_at + vectors));
  }
};

// GELU(x) = x * sigmoid(2 u), u = kGeluScale * (x + kGeluCubic * x^3), because (1 + tanh(u)) / 2 =
// sigmoid(2 u).
constexpr float kGeluScale = 0.7978845608028654f;  // sqrt(2 / pi)
constexpr float kGeluCubic = 0.044715f;

struct GeluForwardBody {
  GeluForward o;
  __device__ std::uint32_t operator()(std::int64_t i) const {
    Bf16Vector v = Bf16Vector::load(o.x, i);
#pragma unroll
    for (float& x : v.x) x *= sigmoid(2 * kGeluScale * (x + kGeluCubic * x * x * x));
    return v.store(o.out, i);
  }
};

struct GeluBackwardBody {
  GeluBackward o;
  __device__ std::uint32_t operator()(std::int64_t i) const {
    const Bf16Vector v = Bf16Vector::load(o.x, i);
    Bf16Vector d = Bf16Vector::load(o.d_out, i);
#pragma unroll
    for (int e = 0; e < Bf16Vector::kSize; ++e) {
      const float x = v.x[e];
      const float s = sigmoid(2 * kGeluScale * (x + kGeluCubic * x * x * x));
      const float slope = 2 * kGeluScale * (1 + 3 * kGeluCubic * x * x);
      d.x[e] *= s + x * s * (1 - s) * slope;
    }
    return d.store(o.d_x, i);
  }
};

struct BiasForwardBody {
  BiasForward o;
  __device__ void operator()(std::int64_t i) const {
    Bf16Vector v = Bf16Vector::load(o.x, i);
    const Bf16Vector bias = Bf16Vector::load(o.bias, i % (o.cols / Bf16Vector::kSize));
#pragma unroll
    for (int e = 0; e < Bf16Vector::kSize; ++e) v.x[e] += bias.x[e];
    v.store(o.x, i);
  }
};

std::int64_t vectors_of(Shape shape) { return shape.elements() / Bf16Vector::kSize; }

}  // namespace

void launch(const EmbeddingForward& o, cudaStream_t stream) {
  for_each(vectors_of(o.size()), stream, "the embedding", EmbeddingForwardBody{o});
}

void launch(const EmbeddingBackward& o, cudaStream_t stream) {
  if (!o.accumulate_table) {
    cuda_check(
        cudaMemsetAsync(o.d_table, 0,
                        sizeof(float) * static_cast<std::size_t>(o.vocabulary * o.cols), stream),
        "clear the gradient of the embedding");
  }
  const dim3 grid(static_cast<unsigned>(o.rows),
                  static_cast<unsigned>(ceil_div(o.cols, 32 * Bf16Vector::kSize)));
  embedding_backward_kernel<<<grid, kThreads, 0, stream>>>(o.groups, o.d_out, o.d_table,
                                                           static_cast<int>(o.cols));
  cuda_check(cudaGetLastError(), "launch the gradient of the embedding");
  if (o.d_positions == nullptr) return;
  const auto bytes = static_cast<double>((2 * o.rows + 4 * o.sequence) * o.cols);
  const AnnotatedRange range(
      kernel_work("gradient of the positions", "embedding", bytes, Precision::bf16));
  for_each(vectors_of({o.sequence, o.cols}), stream, "the gradient of the positions",
           PositionBackwardBody{o});
}

void launch(const ClearAmax& o, cudaStream_t stream) {
  cuda_check(cudaMemsetAsync(o.amax, 0, sizeof(float) * static_cast<std::size_t>(o.count), stream),
             "clear the largest magnitudes");
}

void launch(const Rope& o, cudaStream_t stream) {
  const AttentionShape& s = o.shape;
  const std::int64_t pairs = vectors_of({s.rows(), (s.heads + s.kv_heads) * (s.head_size / 2)});
  // The reduction takes registers, with which an SM runs fewer threads.
  if (o.amax == nullptr) return for_each(pairs, stream, "RoPE", RopeBody{o, pairs});
  const std::int64_t read = vectors_of({s.rows(), s.kv_heads * s.head_size});
  for_each(pairs + read, o.amax, stream, "RoPE", RopeBody{o, pairs});
}

void launch(const SwigluForward& o, cudaStream_t stream) {
  for_each(vectors_of(o.size()), o.amax, stream, "SwiGLU", SwigluForwardBody{o});
}
void launch(const SwigluBackward& o, cudaStream_t stream) {
  for_each(vectors_of(o.size()), o.amax, stream, "the gradient of SwiGLU", SwigluBackwardBody{o});
}
void launch(const GeluForward& o, cudaStream_t stream) {
  for_each(vectors_of(o.size()), o.amax, stream, "GELU", GeluForwardBody{o});
}
void launch(const GeluBackward& o, cudaStream_t stream) {
  for_each(vectors_of(o.size()), o.amax, stream, "the gradient of GELU", GeluBackwardBody{o});
}
void launch(const BiasForward& o, cudaStream_t stream) {
  for_each(vectors_of(o.size()), stream, "a bias", BiasForwardBody{o});
}

}  // namespace mansard::kernels
