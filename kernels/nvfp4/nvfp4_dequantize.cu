// SPDX-License-Identifier: Apache-2.0
// NVFP4 to BF16 operands, exactly: an E2M1 code times an E4M3 scale has at most five significant
// bits. This is how GPUs without FP4 tensor cores run the recipe. 0.5 + 1/16 + 2 = 2.5625 B an
// element.
#include "kernels/device/cuda_check.h"
#include "kernels/nvfp4/arithmetic.cuh"
#include "kernels/nvfp4/nvfp4.h"
#include "kernels/nvfp4/operation.h"
#include "kernels/nvfp4/reference.h"

namespace mansard::nvfp4 {
namespace {

constexpr int kThreads = 256;

__device__ __forceinline__ std::uint32_t decode(std::uint32_t code, float scale) {
  // Exponent and first mantissa bit of a code from 2 on are FP32's, re-biased; 0 and 1 are 0 and
  // .5.
  const std::uint32_t magnitude = code & 7u;
  const float a = magnitude < 2u ? 0.5f * static_cast<float>(magnitude)
                                 : __uint_as_float((magnitude + 252u) << 22);
  const float value = __fmul_rn((code & 8u) != 0 ? -a : a, scale);
  return __bfloat16_as_ushort(__float2bfloat16_rn(value));
}

// Four codes, two BF16 a word.
__device__ __forceinline__ uint2 decode4(std::uint32_t codes, float scale) {
  return {decode(codes & 0xfu, scale) | decode(codes >> 4 & 0xfu, scale) << 16,
          decode(codes >> 8 & 0xfu, scale) | decode(codes >> 12 & 0xfu, scale) << 16};
}

__global__ void __launch_bounds__(kThreads)
    nvfp4_dequantize_kernel(const uint2* __restrict__ codes,
                            const std::uint8_t* __restrict__ scales, std::int64_t blocks,
                            uint4* __restrict__ out) {
  const std::int64_t block = std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (block >= blocks) return;
  const uint2 c = codes[block];
  const float scale = device::from_e4m3(scales[block]);
  const uint2 a = decode4(c.x, scale);
  const uint2 b = decode4(c.x >> 16, scale);
  out[2 * block] = uint4{a.x, a.y, b.x, b.y};
  const uint2 d = decode4(c.y, scale);
  const uint2 e = decode4(c.y >> 16, scale);
  out[2 * block + 1] = uint4{d.x, d.y, e.x, e.y};
}

__global__ void nvfp4_gemm_alpha_kernel(const float* amax_a, const float* amax_b, float* alpha) {
  constexpr float kFactor = 1.0f / (36.0f * 448.0f * 448.0f);
  *alpha = __fmul_rn(__fmul_rn(*amax_a, *amax_b), kFactor);
}

}  // namespace

void dequantize(Matrix in, Shape shape, Bf16* out, cudaStream_t stream) {
  require_shape("dequantise", shape);
  const std::int64_t blocks = shape.elements() / 16;
  nvfp4_dequantize_kernel<<<static_cast<unsigned>((blocks + kThreads - 1) / kThreads), kThreads, 0,
                            stream>>>(reinterpret_cast<const uint2*>(in.codes), in.scales, blocks,
                                      reinterpret_cast<uint4*>(out));
  cuda_check(cudaGetLastError(), "launch dequantise");
}

void gemm_alpha(const float* amax_a, const float* amax_b, float* alpha, cudaStream_t stream) {
  nvfp4_gemm_alpha_kernel<<<1, 1, 0, stream>>>(amax_a, amax_b, alpha);
  cuda_check(cudaGetLastError(), "launch the GEMM's scaling factor");
}

}  // namespace mansard::nvfp4

namespace mansard {

void register_nvfp4_dequantize(KernelRegistry& registry) {
  using namespace nvfp4;
  add_operation(registry,
                {.name = "nvfp4_dequantize",
                 .summary = "NVFP4 to exact BF16 operands (2.5625 B/element)",
                 .needs_quantized = true,
                 .traffic_bytes = traffic::dequantize,
                 .output_bytes = [](Shape s) { return std::vector<std::int64_t>{bf16_bytes(s)}; },
                 .launch =
                     [](const Inputs& in, const Outputs& out, Shape shape, cudaStream_t stream) {
                       dequantize(in.quantized, shape, as_bf16(out, 0), stream);
                     },
                 .reference =
                     [](const Inputs& in, const Outputs& out, Shape shape) {
                       reference::dequantize(in.quantized, shape, as_bf16(out, 0));
                     }});
}

}  // namespace mansard
