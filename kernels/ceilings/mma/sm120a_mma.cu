// SPDX-License-Identifier: Apache-2.0
// Block-scaled mma.sync of Blackwell GPUs without tensor memory.
#include "kernels/ceilings/mma/mma_sync_block_scaled.cuh"

namespace mansard::kernels {
namespace {

struct Mxfp4 : ScaledTensorFormat<element::E2m1, Precision::mxfp4, element::Ue8m0, 32> {
  MANSARD_MMA_SYNC_SCALED_PRODUCT("kind::mxf4.block_scale.scale_vec::2X", 64,
                                  "f32.e2m1.e2m1.f32.ue8m0")
};

struct Mxfp8 : ScaledTensorFormat<element::E4m3, Precision::mxfp8, element::Ue8m0, 32> {
  MANSARD_MMA_SYNC_SCALED_PRODUCT("kind::mxf8f6f4.block_scale.scale_vec::1X", 32,
                                  "f32.e4m3.e4m3.f32.ue8m0")
};

struct Nvfp4 : ScaledTensorFormat<element::E2m1, Precision::nvfp4, element::Ue4m3, 16> {
  MANSARD_MMA_SYNC_SCALED_PRODUCT("kind::mxf4nvf4.block_scale.scale_vec::4X", 64,
                                  "f32.e2m1.e2m1.f32.ue4m3")
};

}  // namespace

// FLOP per clock and SM. NVIDIA RTX Blackwell whitepaper, RTX 5090: 1676 TFLOP/s with 170 SMs at
// 2.407 GHz. MXFP8 has no theoretical peak, because it differs between products of this compute
// capability.
void register_sm120a_mma(KernelRegistry& registry) {
  const auto add = [&]<typename Format>(Format, const char* name, const char* what,
                                        double peak_per_clock) {
    registry.add(mma_sync::block_scaled_spec<Format>(name, what, peak_per_clock));
  };
  add(Mxfp4(), "mma_mxfp4", "MXFP4 tensor cores", 4096);
  add(Mxfp8(), "mma_mxfp8", "MXFP8 (E4M3) tensor cores", 0);
  add(Nvfp4(), "mma_nvfp4", "NVFP4 tensor cores", 4096);
}

}  // namespace mansard::kernels
