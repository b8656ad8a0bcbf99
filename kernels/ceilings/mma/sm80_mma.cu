// SPDX-License-Identifier: Apache-2.0
// Ampere's matrix instruction, which all later GPUs support. On Hopper it shows the limit of
// programs that do not use wgmma.
#include "kernels/ceilings/mma/mma_sync_ceiling.cuh"

namespace mansard::kernels {
namespace {

struct Bf16 : TensorFormat<element::Bf16, Precision::bf16, kFp32FractionBits> {
  MANSARD_MMA_SYNC_PRODUCT(16, "f32.bf16.bf16.f32", "+f")
};

struct Fp16 : TensorFormat<element::Fp16, Precision::fp16, kFp32FractionBits> {
  MANSARD_MMA_SYNC_PRODUCT(16, "f32.f16.f16.f32", "+f")
};

struct Fp16Acc16
    : TensorFormat<element::Fp16, Precision::fp16, kFp16FractionBits, Fp16Accumulators> {
  static constexpr const char* kInstruction = "mma.sync.m16n8k16.f16.f16.f16.f16";
  static constexpr int kM = 16;
  static constexpr int kK = 16;

  static __device__ __forceinline__ void multiply(std::uint32_t (&d)[2],
                                                  const std::uint32_t (&a)[4],
                                                  const std::uint32_t (&b)[2]) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, "
        "{%0, %1};"
        : "+r"(d[0]), "+r"(d[1])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
};

// On Hopper the larger shapes of sm90_mma_fp64.cu are faster.
struct Fp64 : TensorFormat<element::Fp64, Precision::fp64, kFp64FractionBits, Fp64Accumulators> {
  static constexpr const char* kInstruction = "mma.sync.m8n8k4.f64.f64.f64.f64";
  static constexpr int kM = 8;
  static constexpr int kK = 4;

  static __device__ __forceinline__ void multiply(double (&d)[2], const double (&a)[1],
                                                  const double (&b)[1]) {
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                 : "+d"(d[0]), "+d"(d[1])
                 : "d"(a[0]), "d"(b[0]));
  }
};

// Sums exceed 32 bits and wrap around in timed launches, but not in a check.
struct Int8 : TensorFormat<element::Int8, Precision::int8, kExactFractionBits, Int32Accumulators> {
  MANSARD_MMA_SYNC_PRODUCT(32, "s32.s8.s8.s32", "+r")
};

struct Tf32 : TensorFormat<element::Tf32, Precision::tf32, kFp32FractionBits> {
  MANSARD_MMA_SYNC_PRODUCT(8, "f32.tf32.tf32.f32", "+f")
};

}  // namespace

// FLOP or op per clock and SM. A100 whitepaper: BF16 and FP16 312 TFLOP/s (with any accumulator
// format), TF32 156 TFLOP/s, INT8 624 Top/s, FP64 19.5 TFLOP/s; 108 SMs, 1.41 GHz. H100 whitepaper:
// 989.4 and 494.7 TFLOP/s, 1978.9 Top/s; 132 SMs, 1.83 GHz; FP64 66.9 TFLOP/s at 1.98 GHz.
void register_sm80_mma(KernelRegistry& registry) {
  const auto add = [&]<typename Format>(Format, const char* name, const char* what, double a100,
                                        double h100) {
    registry.add(mma_sync::mma_sync_spec<Format>(name,
                                                 std::string(what) + ", operands in registers",
                                                 needs_at_least(80), {{80, a100}, {90, h100}}));
  };
  add(Bf16(), "mma_bf16", "BF16 tensor cores via mma.sync", 2048, 4096);
  add(Fp16(), "mma_fp16", "FP16 tensor cores via mma.sync", 2048, 4096);
  add(Fp16Acc16(), "mma_fp16_acc16", "FP16 tensor cores via mma.sync, FP16 accumulation", 2048,
      4096);
  add(Fp64(), "mma_fp64_m8n8k4", "FP64 tensor cores via mma.sync m8n8k4", 128, 256);
  add(Int8(), "mma_int8", "INT8 tensor cores via mma.sync", 4096, 8192);
  add(Tf32(), "mma_tf32", "TF32 tensor cores via mma.sync", 1024, 2048);
}

}  // namespace mansard::kernels
