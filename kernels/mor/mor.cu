// SPDX-License-Identifier: Apache-2.0
// Each thread block handles 128x128 elements, 64 per thread, which it keeps in registers from the
// search for their amax to the stores.
#include "kernels/mor/mor.h"

#include <cstdint>

#include "kernels/device/cuda_check.h"
#include "kernels/fp8/device/arithmetic.cuh"
#include "kernels/fp8/device/decode.cuh"
#include "kernels/fp8/device/maxima.cuh"

namespace mansard::kernels::mor {
namespace {

using fp8::device::high_bf16;
using fp8::device::kAllLanes;
using fp8::device::low_bf16;

constexpr int kThreads = 256;
constexpr int kWarps = kThreads / 32;
constexpr int kPieceCols = 8;  // 16 bytes
constexpr int kPieces = kBlock * kBlock / kPieceCols / kThreads;
constexpr int kPiecesPerRow = kBlock / kPieceCols;

// The elements of a thread: piece i is 8 columns of row (i * 256 + thread) / 16. Elements outside
// the matrix are zero, which changes neither a maximum nor a sum.
class Elements {
 public:
  __device__ __forceinline__ Elements(const Bf16* x, Shape shape) : shape_(shape) {
    const std::int64_t across = ceil_div(shape.cols, kBlock);
    row_ = blockIdx.x / across * kBlock + threadIdx.x / kPiecesPerRow;
    col_ = blockIdx.x % across * kBlock + threadIdx.x % kPiecesPerRow * kPieceCols;
#pragma unroll
    for (int i = 0; i < kPieces; ++i) {
      for (std::uint32_t& word : words_[i]) word = 0;
      if (row_of(i) >= shape.rows || col_ >= shape.cols) continue;
      const Bf16* const from = x + row_of(i) * shape.cols + col_;
      if (shape.cols % kPieceCols == 0) {
        const uint4 loaded = *reinterpret_cast<const uint4*>(from);
        words_[i][0] = loaded.x, words_[i][1] = loaded.y;
        words_[i][2] = loaded.z, words_[i][3] = loaded.w;
      } else {
#pragma unroll
        for (int c = 0; c < kPieceCols; ++c) {
          if (col_ + c < shape.cols) words_[i][c / 2] |= std::uint32_t{from[c].bits} << c % 2 * 16;
        }
      }
    }
  }

  // Replaces each word of two elements by body(word), and stores the result.
  template <typename Body>
  __device__ __forceinline__ void store(Bf16* out, const Body& body) const {
#pragma unroll
    for (int i = 0; i < kPieces; ++i) {
      if (row_of(i) >= shape_.rows || col_ >= shape_.cols) continue;
      Bf16* const to = out + row_of(i) * shape_.cols + col_;
      std::uint32_t result[kPieceCols / 2];
#pragma unroll
      for (int w = 0; w < kPieceCols / 2; ++w) result[w] = body(words_[i][w]);
      if (shape_.cols % kPieceCols == 0) {
        *reinterpret_cast<uint4*>(to) = {result[0], result[1], result[2], result[3]};
      } else {
#pragma unroll
        for (int c = 0; c < kPieceCols; ++c) {
          if (col_ + c < shape_.cols) {
            to[c].bits = static_cast<std::uint16_t>(result[c / 2] >> c % 2 * 16);
          }
        }
      }
    }
  }

  template <typename Body>
  __device__ __forceinline__ void for_each_word(const Body& body) const {
#pragma unroll
    for (int i = 0; i < kPieces; ++i) {
#pragma unroll
      for (const std::uint32_t word : words_[i]) body(word);
    }
  }

  // Elements of the thread block that are inside the matrix.
  __device__ __forceinline__ std::uint64_t count() const {
    const std::int64_t across = ceil_div(shape_.cols, kBlock);
    const std::int64_t rows = shape_.rows - blockIdx.x / across * kBlock;
    const std::int64_t cols = shape_.cols - blockIdx.x % across * kBlock;
    return min(rows, std::int64_t{kBlock}) * min(cols, std::int64_t{kBlock});
  }

 private:
  __device__ __forceinline__ std::int64_t row_of(int piece) const {
    return row_ + piece * (kThreads / kPiecesPerRow);
  }

  Shape shape_;
  std::int64_t row_, col_;
  std::uint32_t words_[kPieces][kPieceCols / 2];
};

// Reductions over the thread block; every thread has the result.

__device__ __forceinline__ float block_amax(const Elements& elements) {
  __shared__ std::uint32_t of_warp[kWarps];
  std::uint32_t pair = 0;
  elements.for_each_word(
      [&](std::uint32_t word) { pair = __vmaxu2(pair, fp8::device::magnitudes(word)); });
  const std::uint32_t largest = __reduce_max_sync(kAllLanes, fp8::device::larger_half(pair));
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = largest;
  __syncthreads();
  std::uint32_t bits = 0;
  for (const std::uint32_t one : of_warp) bits = max(bits, one);
  return __uint_as_float(bits);
}

using Sum = unsigned long long;

__device__ __forceinline__ Sum block_sum(Sum sum) {
  __shared__ Sum of_warp[kWarps];
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) {
    sum += __shfl_xor_sync(kAllLanes, sum, distance);
  }
  __syncthreads();  // the results of an earlier call have been read
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = sum;
  __syncthreads();
  sum = 0;
  for (const Sum one : of_warp) sum += one;
  return sum;
}

// Arithmetic of the scales, written independently of the reference.

__device__ __forceinline__ bool is_finite(float x) { return fabsf(x) <= fp8::device::kFloatMax; }
__device__ __forceinline__ int binade(float x) { return x == 0.0f ? 0 : ilogbf(x); }
__device__ __forceinline__ float mantissa_of(float x) { return scalbnf(x, -binade(x)); }

__device__ __forceinline__ float group_mantissa(float tensor_amax) {
  if (tensor_amax == 0.0f || !is_finite(tensor_amax)) return 1.0f;
  const float quotient = __fdiv_rz(1.75f, mantissa_of(tensor_amax));
  return quotient >= 1.0f ? quotient : 2.0f * quotient;
}

struct BlockScale {
  float encode, decode;
};

template <fp8::Format F>
__device__ __forceinline__ BlockScale block_scale(float block_amax, float mantissa) {
  constexpr int kLargestBinade = F == fp8::Format::e4m3 ? 8 : 15;
  int exponent = 0;
  if (block_amax != 0.0f) {
    const float scaled = __fmul_rn(mantissa_of(block_amax), mantissa);
    exponent = kLargestBinade - binade(block_amax) - (scaled > 1.75f) - (scaled > 3.5f);
  }
  exponent = min(exponent, kLargestExponent);
  return {scalbnf(mantissa, exponent), scalbnf(__frcp_rn(mantissa), -exponent)};
}

// The values of two elements.
template <fp8::Format F>
__device__ __forceinline__ std::uint32_t values_of(std::uint32_t word, const BlockScale& scale) {
  const std::uint32_t codes = fp8::device::encode_pair<F>(__fmul_rn(low_bf16(word), scale.encode),
                                                          __fmul_rn(high_bf16(word), scale.encode));
  return fp8::device::decode_pair<F>(codes, scale.decode);
}

// 2^(kSumBits - binade(amax)).
__device__ __forceinline__ double units(float amax) {
  return __hiloint2double((1023 + kSumBits - binade(amax)) << 20, 0);
}

__device__ __forceinline__ Sum term(float magnitude, double per_unit) {
  return __double2ull_ru(__dmul_rn(double{magnitude}, per_unit));
}

__device__ __forceinline__ Sum sum_of_magnitudes(const Elements& elements, double per_unit) {
  Sum sum = 0;
  elements.for_each_word([&](std::uint32_t word) {
    sum += term(fabsf(low_bf16(word)), per_unit) + term(fabsf(high_bf16(word)), per_unit);
  });
  return block_sum(sum);
}

template <fp8::Format F>
__device__ __forceinline__ Sum sum_of_errors(const Elements& elements, const BlockScale& scale,
                                             double per_unit) {
  Sum sum = 0;
  elements.for_each_word([&](std::uint32_t word) {
    const std::uint32_t values = values_of<F>(word, scale);
    sum += term(fabsf(__fsub_rn(low_bf16(word), low_bf16(values))), per_unit) +
           term(fabsf(__fsub_rn(high_bf16(word), high_bf16(values))), per_unit);
  });
  return block_sum(sum);
}

__device__ __forceinline__ Representation choose_for_block(const Elements& elements, float amax,
                                                           float mantissa, float threshold) {
  using fp8::Format;
  if (!is_finite(amax)) return Representation::bf16;
  const double per_unit = units(amax);
  const Sum magnitude = sum_of_magnitudes(elements, per_unit);
  const auto accepts = [&](Sum error) { return is_acceptable(error, magnitude, threshold); };
  if (accepts(sum_of_errors<Format::e4m3>(elements, block_scale<Format::e4m3>(amax, mantissa),
                                          per_unit))) {
    return Representation::e4m3;
  }
  if (accepts(sum_of_errors<Format::e5m2>(elements, block_scale<Format::e5m2>(amax, mantissa),
                                          per_unit))) {
    return Representation::e5m2;
  }
  return Representation::bf16;
}

__device__ __forceinline__ void write(const Elements& elements, Representation representation,
                                      float amax, float mantissa, Bf16* out) {
  using fp8::Format;
  switch (representation) {
    case Representation::e4m3: {
      const BlockScale scale = block_scale<Format::e4m3>(amax, mantissa);
      return elements.store(
          out, [&](std::uint32_t word) { return values_of<Format::e4m3>(word, scale); });
    }
    case Representation::e5m2: {
      const BlockScale scale = block_scale<Format::e5m2>(amax, mantissa);
      return elements.store(
          out, [&](std::uint32_t word) { return values_of<Format::e5m2>(word, scale); });
    }
    case Representation::bf16:
      return elements.store(out, [](std::uint32_t word) { return word; });
  }
}

__device__ __forceinline__ void add(std::uint64_t* sum, Sum value) {
  atomicAdd(reinterpret_cast<Sum*>(sum), value);
}

__device__ __forceinline__ void count(Representation representation, std::uint64_t elements,
                                      Counts* counts) {
  add(&counts->blocks[static_cast<int>(representation)], 1);
  add(&counts->elements[static_cast<int>(representation)], elements);
}

__global__ void __launch_bounds__(kThreads)
    mor_quantize_blocks_kernel(const Bf16* __restrict__ x, Shape shape,
                               const float* __restrict__ tensor_amax, float threshold,
                               Counts* counts, Bf16* __restrict__ out) {
  const Elements elements(x, shape);
  const float mantissa = group_mantissa(*tensor_amax);
  const float amax = block_amax(elements);
  const Representation chosen = choose_for_block(elements, amax, mantissa, threshold);
  write(elements, chosen, amax, mantissa, out);
  if (threadIdx.x == 0) count(chosen, elements.count(), counts);
}

// Takes a sum and leaves zero for the next launch.
__device__ __forceinline__ Sum take(std::uint64_t* sum) {
  return atomicExch(reinterpret_cast<Sum*>(sum), Sum{0});
}

// The last thread block to arrive chooses.
__global__ void __launch_bounds__(kThreads)
    mor_choose_kernel(const Bf16* __restrict__ x, Shape shape,
                      const float* __restrict__ tensor_amax, float threshold, Counts* counts,
                      TensorChoice* choice) {
  using fp8::Format;
  const float amax = *tensor_amax;
  Sum magnitude = 0, e4m3 = 0, e5m2 = 0;
  if (is_finite(amax)) {
    const Elements elements(x, shape);
    const float mantissa = group_mantissa(amax);
    const double per_unit = units(amax);
    magnitude = sum_of_magnitudes(elements, per_unit);
    e4m3 =
        sum_of_errors<Format::e4m3>(elements, block_scale<Format::e4m3>(amax, mantissa), per_unit);
    e5m2 =
        sum_of_errors<Format::e5m2>(elements, block_scale<Format::e5m2>(amax, mantissa), per_unit);
  }
  if (threadIdx.x != 0) return;
  add(&choice->magnitude, magnitude);
  add(&choice->error[0], e4m3);
  add(&choice->error[1], e5m2);
  __threadfence();
  if (atomicInc(&choice->arrived, gridDim.x - 1) != gridDim.x - 1) return;  // wraps to 0
  __threadfence();
  magnitude = take(&choice->magnitude);
  e4m3 = take(&choice->error[0]);
  e5m2 = take(&choice->error[1]);
  Representation chosen = Representation::bf16;
  if (is_finite(amax)) {
    if (is_acceptable(e4m3, magnitude, threshold)) {
      chosen = Representation::e4m3;
    } else if (is_acceptable(e5m2, magnitude, threshold)) {
      chosen = Representation::e5m2;
    }
  }
  choice->representation = chosen;
  count(chosen, static_cast<std::uint64_t>(shape.elements()), counts);
}

__global__ void __launch_bounds__(kThreads)
    mor_quantize_tensor_kernel(const Bf16* __restrict__ x, Shape shape,
                               const float* __restrict__ tensor_amax,
                               const TensorChoice* __restrict__ choice, Bf16* __restrict__ out) {
  const Elements elements(x, shape);
  write(elements, choice->representation, *tensor_amax, group_mantissa(*tensor_amax), out);
}

unsigned grid(const char* operation, Shape shape) {
  nvfp4::require_shape(operation, shape);
  return static_cast<unsigned>(ceil_div(shape.rows, kBlock) * ceil_div(shape.cols, kBlock));
}

}  // namespace

void quantize_blocks(const Bf16* x, Shape shape, const float* tensor_amax, float threshold,
                     Counts* counts, Bf16* out, cudaStream_t stream) {
  mor_quantize_blocks_kernel<<<grid("MoR by blocks", shape), kThreads, 0, stream>>>(
      x, shape, tensor_amax, threshold, counts, out);
  cuda_check(cudaGetLastError(), "launch MoR by blocks");
}

void choose(const Bf16* x, Shape shape, const float* tensor_amax, float threshold, Counts* counts,
            TensorChoice* choice, cudaStream_t stream) {
  mor_choose_kernel<<<grid("MoR of a tensor", shape), kThreads, 0, stream>>>(
      x, shape, tensor_amax, threshold, counts, choice);
  cuda_check(cudaGetLastError(), "launch the choice of a tensor's format");
}

void quantize_tensor(const Bf16* x, Shape shape, const float* tensor_amax,
                     const TensorChoice* choice, Bf16* out, cudaStream_t stream) {
  mor_quantize_tensor_kernel<<<grid("MoR of a tensor", shape), kThreads, 0, stream>>>(
      x, shape, tensor_amax, choice, out);
  cuda_check(cudaGetLastError(), "launch MoR of a tensor");
}

}  // namespace mansard::kernels::mor
