// SPDX-License-Identifier: Apache-2.0
// NVFP4 to BF16 operands, exact: an E2M1 code times an E4M3 scale has at most five significant
// bits. GPUs without FP4 tensor cores use it to run the recipe. 0.5 + 1/16 + 2 = 2.5625 B per
// element.
#include "kernels/device/cuda_check.h"
#include "kernels/nvfp4/device/arithmetic.cuh"
#include "kernels/nvfp4/nvfp4.h"
#include "kernels/nvfp4/operation.h"
#include "kernels/nvfp4/reference.h"

namespace mansard::kernels::nvfp4 {
namespace {

constexpr int kThreads = 512;
constexpr int kPerThread = 2;  // half blocks per thread

// With a code's low three bits as the lowest exponent bit and the highest fraction bit, a BF16
// number is E2M1's value times 2^-126, subnormals included: no table and no branch. Two exact
// products apply the scale and the exponent.
constexpr float kFirst = 0x1p100f;
constexpr float kSecond = 0x1p26f;

// Dequantizes the two codes of a byte; `scale` holds scale * kSecond twice.
__device__ __forceinline__ std::uint32_t decode2(std::uint32_t byte, __nv_bfloat162 scale) {
  // Each half receives its code's magnitude in bits 6 to 8 and its sign in bit 9.
  const std::uint32_t spread = byte * ((1u << 6) + (1u << 18));
  const std::uint32_t bits = (spread & 0x01c001c0u) | (spread << 6 & 0x80008000u);
  __nv_bfloat162 value;
  reinterpret_cast<std::uint32_t&>(value) = bits;
  value = __hmul2(__hmul2(value, __float2bfloat162_rn(kFirst)), scale);
  return reinterpret_cast<std::uint32_t&>(value);
}

__device__ __forceinline__ uint4 decode8(std::uint32_t codes, __nv_bfloat162 scale) {
  return {decode2(codes & 0xffu, scale), decode2(codes >> 8 & 0xffu, scale),
          decode2(codes >> 16 & 0xffu, scale), decode2(codes >> 24, scale)};
}

__device__ __forceinline__ __nv_bfloat162 scale_of(std::uint8_t stored) {
  return __float2bfloat162_rn(__fmul_rn(device::from_e4m3(stored), kSecond));
}

// A thread handles half a block, so that a warp writes 512 contiguous bytes in whole sectors; 16 of
// every 32 bytes per store would not fill them.
template <ScaleLayout kLayout>
__global__ void __launch_bounds__(kThreads)
    nvfp4_dequantize_kernel(const std::uint32_t* __restrict__ codes,
                            const std::uint8_t* __restrict__ scales, std::int64_t halves,
                            unsigned blocks_of_row, uint4* __restrict__ out) {
  const auto place = [&](std::int64_t block) {
    if (kLayout == ScaleLayout::linear) return block;
    const auto b = static_cast<unsigned>(block);
    return scale_index(kLayout, blocks_of_row, b / blocks_of_row, b % blocks_of_row);
  };
  const std::int64_t first = std::int64_t{blockIdx.x} * (kThreads * kPerThread) + threadIdx.x;
  std::uint32_t code[kPerThread];
  std::uint8_t scale[kPerThread];
#pragma unroll
  for (int i = 0; i < kPerThread; ++i) {
    const std::int64_t half = first + i * kThreads;
    if (half >= halves) continue;
    code[i] = codes[half];
    scale[i] = scales[place(half / 2)];
  }
#pragma unroll
  for (int i = 0; i < kPerThread; ++i) {
    const std::int64_t half = first + i * kThreads;
    if (half < halves) __stcs(out + half, decode8(code[i], scale_of(scale[i])));
  }
}

// Any shape and layout: one element per thread.
__global__ void __launch_bounds__(kThreads)
    nvfp4_dequantize_plain_kernel(Matrix in, Shape shape, ScaleLayout layout,
                                  Bf16* __restrict__ out) {
  const std::int64_t item = std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (item >= shape.elements()) return;
  const std::int64_t row = item / shape.cols;
  const std::int64_t col = item % shape.cols;
  const std::int64_t blocks = (shape.cols + 15) / 16;
  const std::uint8_t pair = in.codes[row * blocks * 8 + col / 2];
  const std::uint8_t stored = in.scales[scale_index(layout, blocks, row, col / 16)];
  const std::uint32_t both = decode2(pair, scale_of(stored));
  out[item].bits = static_cast<std::uint16_t>(col % 2 == 0 ? both : both >> 16);
}

__global__ void nvfp4_gemm_alpha_kernel(const float* amax_a, const float* amax_b, float* alpha) {
  constexpr float kFactor = 1.0f / (36.0f * 448.0f * 448.0f);
  *alpha = __fmul_rn(__fmul_rn(*amax_a, *amax_b), kFactor);
}

}  // namespace

void dequantize(Matrix in, Shape shape, ScaleLayout layout, Bf16* out, cudaStream_t stream) {
  require_shape("dequantize", shape);
  const auto blocks = [](std::int64_t items, std::int64_t each) {
    return static_cast<unsigned>((items + each - 1) / each);
  };
  constexpr std::int64_t kMaxBlocks = std::int64_t{1} << 32;
  if (shape.cols % 16 == 0 && shape.elements() / 16 < kMaxBlocks) {
    const std::int64_t halves = shape.elements() / 8;
    const auto kernel = layout == ScaleLayout::linear ? nvfp4_dequantize_kernel<ScaleLayout::linear>
                                                      : nvfp4_dequantize_kernel<ScaleLayout::tiled>;
    kernel<<<blocks(halves, kPerThread * kThreads), kThreads, 0, stream>>>(
        reinterpret_cast<const std::uint32_t*>(in.codes), in.scales, halves,
        static_cast<unsigned>(shape.cols / 16), reinterpret_cast<uint4*>(out));
  } else {
    nvfp4_dequantize_plain_kernel<<<blocks(shape.elements(), kThreads), kThreads, 0, stream>>>(
        in, shape, layout, out);
  }
  cuda_check(cudaGetLastError(), "launch dequantize");
}

void gemm_alpha(const float* amax_a, const float* amax_b, float* alpha, cudaStream_t stream) {
  nvfp4_gemm_alpha_kernel<<<1, 1, 0, stream>>>(amax_a, amax_b, alpha);
  cuda_check(cudaGetLastError(), "launch the GEMM's scaling factor");
}

}  // namespace mansard::kernels::nvfp4

namespace mansard::kernels {

void register_nvfp4_dequantize(KernelRegistry& registry) {
  using namespace nvfp4;
  add_operation(registry,
                {.name = "nvfp4_dequantize",
                 .summary = "NVFP4 to BF16, exact (2.5625 B/element)",
                 .needs_quantized = true,
                 .traffic_bytes = traffic::dequantize,
                 .output_bytes = [](Shape s) { return std::vector<std::int64_t>{bf16_bytes(s)}; },
                 .launch =
                     [](const Inputs& in, const Outputs& out, Shape shape, cudaStream_t stream) {
                       dequantize(in.quantized, shape, ScaleLayout::linear, as_bf16(out, 0),
                                  stream);
                     },
                 .reference =
                     [](const Inputs& in, const Outputs& out, Shape shape) {
                       reference::dequantize(in.quantized, shape, as_bf16(out, 0));
                     }});
}

}  // namespace mansard::kernels
