// SPDX-License-Identifier: Apache-2.0
// FP8 via mma.sync, available since Ada. On compute capability 9.0 and 10.0 the compiler converts
// the operands to FP16 instead.
#include "kernels/ceilings/mma/mma_sync_ceiling.cuh"

namespace mansard::kernels {
namespace {

struct Fp8E4m3 : TensorFormat<element::E4m3, Precision::fp8_e4m3, kFp8FractionBits> {
  using ConvertedTo = element::Fp16;
  MANSARD_MMA_SYNC_PRODUCT(32, "f32.e4m3.e4m3.f32", "+f")
};

struct Fp8E5m2 : TensorFormat<element::E5m2, Precision::fp8_e5m2, kFp8FractionBits> {
  using ConvertedTo = element::Fp16;
  MANSARD_MMA_SYNC_PRODUCT(32, "f32.e5m2.e5m2.f32", "+f")
};

}  // namespace

// 8192 FLOP per clock and SM of the tensor pipe. H100 whitepaper: 1978.9 TFLOP/s with 132 SMs at
// 1.83 GHz; on Hopper only wgmma reaches this FP8 rate. Ada's rate differs between products of the
// same compute capability.
void register_sm89_mma_fp8(KernelRegistry& registry) {
  const auto add = [&]<typename Format>(Format, const char* name, const std::string& what) {
    registry.add(mma_sync::mma_sync_spec<Format>(
        name,
        what + " tensor cores via mma.sync; operands are converted to FP16 on CC 9.0 and 10.0",
        needs_at_least(89), {{90, 8192}}));
  };
  add(Fp8E4m3(), "mma_fp8_e4m3", "FP8 E4M3");
  add(Fp8E5m2(), "mma_fp8_e5m2", "FP8 E5M2");
}

}  // namespace mansard::kernels
