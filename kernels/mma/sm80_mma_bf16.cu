// SPDX-License-Identifier: Apache-2.0
// Ampere's matrix instruction, which every later GPU still has: on Hopper it shows what programs
// that were not rewritten for wgmma can reach.
#include <cuda_bf16.h>

#include "kernels/mma/mma_sync_ceiling.cuh"

namespace mansard {
namespace {

struct Bf16 {
  static constexpr Precision kPrecision = Precision::bf16;
  static constexpr const char* kInstruction = "mma.sync.m16n8k16.f32.bf16.bf16.f32";
  static constexpr int kBits = 16;
  static constexpr int kElements = 2;
  static constexpr int kFractionBits = 22;  // FP32 accumulation, truncated

  static __device__ __forceinline__ void multiply(float (&d)[4], const std::uint32_t (&a)[4],
                                                  const std::uint32_t (&b)[2]) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, "
        "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
  static std::uint32_t encode(float x) { return __nv_bfloat16_raw(__float2bfloat16(x)).x; }
  static double decode(std::uint32_t bits) {
    __nv_bfloat16_raw raw;
    raw.x = static_cast<unsigned short>(bits);
    return __bfloat162float(__nv_bfloat16(raw));
  }
};

}  // namespace

void register_sm80_mma_bf16(KernelRegistry& registry) {
  KernelSpec spec;
  spec.name = "mma_bf16";
  spec.summary = "BF16 tensor cores by mma.sync, operands in registers";
  spec.role = KernelRole::compute_ceiling;
  spec.precision = Bf16::kPrecision;
  spec.patterned = true;
  spec.sustained = true;
  spec.unsupported = [](const DeviceInfo& device) -> std::string {
    return device.compute_capability >= 80 ? "" : "needs compute capability 8.0 or higher";
  };
  // FLOP a clock and SM of the whole tensor pipe, whatever instruction feeds it: A100 whitepaper
  // (312 TFLOP/s, 108 SMs, 1.41 GHz) and H100 whitepaper. Others: not stated here.
  spec.peak_per_clock = [](const DeviceInfo& device) {
    return device.compute_capability == 80 ? 2048.0 : device.compute_capability == 90 ? 4096.0 : 0;
  };
  spec.prepare = [](const DeviceInfo& device, const PrepareOptions& options) {
    return std::make_unique<mma_sync::MmaSyncCeiling<Bf16>>(device, options);
  };
  registry.add(std::move(spec));
}

}  // namespace mansard
