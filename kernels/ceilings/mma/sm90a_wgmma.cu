// SPDX-License-Identifier: Apache-2.0
// Hopper's tensor cores via wgmma.
#include "kernels/ceilings/mma/wgmma_ceiling.cuh"

namespace mansard::kernels {
namespace {

struct Bf16 : TensorFormat<element::Bf16, Precision::bf16, kFp32FractionBits> {
  MANSARD_WGMMA_PRODUCT(128, "+f", "m64n256k16.f32.bf16.bf16", "1, 1, 1, 0")
};

struct Fp16 : TensorFormat<element::Fp16, Precision::fp16, kFp32FractionBits> {
  MANSARD_WGMMA_PRODUCT(128, "+f", "m64n256k16.f32.f16.f16", "1, 1, 1, 0")
};

struct Fp16Acc16
    : TensorFormat<element::Fp16, Precision::fp16, kFp16FractionBits, Fp16Accumulators> {
  MANSARD_WGMMA_PRODUCT(64, "+r", "m64n256k16.f16.f16.f16", "1, 1, 1, 0")
};

struct Fp8E4m3 : TensorFormat<element::E4m3, Precision::fp8_e4m3, kFp8FractionBits> {
  MANSARD_WGMMA_PRODUCT(128, "+f", "m64n256k32.f32.e4m3.e4m3", "1, 1, 1")
};

struct Fp8E5m2 : TensorFormat<element::E5m2, Precision::fp8_e5m2, kFp8FractionBits> {
  MANSARD_WGMMA_PRODUCT(128, "+f", "m64n256k32.f32.e5m2.e5m2", "1, 1, 1")
};

// Sums exceed 32 bits and wrap around in timed launches, but not in a check.
struct Int8 : TensorFormat<element::Int8, Precision::int8, kExactFractionBits, Int32Accumulators> {
  MANSARD_WGMMA_PRODUCT(128, "+r", "m64n256k32.s32.s8.s8", "1")
};

struct Tf32 : TensorFormat<element::Tf32, Precision::tf32, kFp32FractionBits> {
  MANSARD_WGMMA_PRODUCT(128, "+f", "m64n256k8.f32.tf32.tf32", "1, 1, 1")
};

}  // namespace

// FLOP or op per clock and SM. H100 whitepaper: 494.7 TFLOP/s in TF32, 989.4 in BF16 and FP16 (with
// any accumulator format), 1978.9 in FP8 and INT8, with 132 SMs at 1.83 GHz.
void register_sm90a_wgmma(KernelRegistry& registry) {
  const auto add = [&]<typename Format>(Format, const char* name, const char* what,
                                        double peak_per_clock) {
    registry.add(wgmma::wgmma_spec<Format>(name, what, peak_per_clock));
  };
  add(Bf16(), "wgmma_bf16", "BF16 tensor cores via wgmma", 4096);
  add(Fp16(), "wgmma_fp16", "FP16 tensor cores via wgmma", 4096);
  add(Fp16Acc16(), "wgmma_fp16_acc16", "FP16 tensor cores via wgmma, FP16 accumulation", 4096);
  add(Fp8E4m3(), "wgmma_fp8_e4m3", "FP8 E4M3 tensor cores via wgmma", 8192);
  add(Fp8E5m2(), "wgmma_fp8_e5m2", "FP8 E5M2 tensor cores via wgmma", 8192);
  add(Int8(), "wgmma_int8", "INT8 tensor cores via wgmma", 8192);
  add(Tf32(), "wgmma_tf32", "TF32 tensor cores via wgmma", 2048);
}

}  // namespace mansard::kernels
