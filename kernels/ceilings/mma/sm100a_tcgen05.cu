// SPDX-License-Identifier: Apache-2.0
// The tensor cores of Blackwell's datacenter GPUs via tcgen05.
#include "kernels/ceilings/mma/tcgen05_ceiling.cuh"

namespace mansard::kernels {
namespace {

using tcgen05::Product;
using tcgen05::scaled_tile_product;
using tcgen05::ScaledProduct;
using tcgen05::tile_product;
namespace type = tcgen05::type;

struct Bf16 : TensorFormat<element::Bf16, Precision::bf16, kFp32FractionBits> {
  static constexpr Product kProduct = tile_product(type::kBf16);
  MANSARD_TCGEN05_PRODUCT("f16", 16)
};

struct Fp16 : TensorFormat<element::Fp16, Precision::fp16, kFp32FractionBits> {
  static constexpr Product kProduct = tile_product(type::kF16);
  MANSARD_TCGEN05_PRODUCT("f16", 16)
};

struct Fp8E4m3 : TensorFormat<element::E4m3, Precision::fp8_e4m3, kFp8FractionBits> {
  static constexpr Product kProduct = tile_product(type::kE4m3);
  MANSARD_TCGEN05_PRODUCT("f8f6f4", 32)
};

struct Fp8E5m2 : TensorFormat<element::E5m2, Precision::fp8_e5m2, kFp8FractionBits> {
  static constexpr Product kProduct = tile_product(type::kE5m2);
  MANSARD_TCGEN05_PRODUCT("f8f6f4", 32)
};

// Sums exceed 32 bits and wrap around in timed launches, but not in a check.
struct Int8 : TensorFormat<element::Int8, Precision::int8, kExactFractionBits, Int32Accumulators> {
  static constexpr Product kProduct = tile_product(type::kS8, type::kSumS32);
  MANSARD_TCGEN05_PRODUCT("i8", 32)
};

struct Mxfp4 : ScaledTensorFormat<element::E2m1, Precision::mxfp4, element::Ue8m0, 32> {
  static constexpr ScaledProduct kProduct = scaled_tile_product(type::kE2m1, type::kScaleUe8m0);
  MANSARD_TCGEN05_SCALED_PRODUCT("mxf4.block_scale.scale_vec::2X", 64)
};

struct Mxfp8 : ScaledTensorFormat<element::E4m3, Precision::mxfp8, element::Ue8m0, 32> {
  static constexpr ScaledProduct kProduct = scaled_tile_product(type::kE4m3, type::kScaleUe8m0);
  MANSARD_TCGEN05_SCALED_PRODUCT("mxf8f6f4.block_scale.scale_vec::1X", 32)
};

struct Nvfp4 : ScaledTensorFormat<element::E2m1, Precision::nvfp4, element::Ue4m3, 16> {
  static constexpr ScaledProduct kProduct = scaled_tile_product(type::kE2m1, type::kScaleUe4m3);
  MANSARD_TCGEN05_SCALED_PRODUCT("mxf4nvf4.block_scale.scale_vec::4X", 64)
};

struct Tf32 : TensorFormat<element::Tf32, Precision::tf32, kFp32FractionBits> {
  static constexpr Product kProduct = tile_product(type::kTf32);
  MANSARD_TCGEN05_PRODUCT("tf32", 8)
};

}  // namespace

// FLOP or op per clock and SM. B200 datasheet: 1125 TFLOP/s in TF32, 2250 in BF16 and FP16, 4500 in
// FP8, MXFP8 and INT8, 9000 in MXFP4 and NVFP4, with 148 SMs at 1.86 GHz.
void register_sm100a_tcgen05(KernelRegistry& registry) {
  const auto add = [&]<typename Format>(Format, const char* name, const char* what,
                                        double peak_per_clock) {
    registry.add(tcgen05::tcgen05_spec<Format>(name, what, peak_per_clock));
  };
  add(Bf16(), "tcgen05_bf16", "BF16 tensor cores", 8192);
  add(Fp16(), "tcgen05_fp16", "FP16 tensor cores", 8192);
  add(Fp8E4m3(), "tcgen05_fp8_e4m3", "FP8 E4M3 tensor cores", 16384);
  add(Fp8E5m2(), "tcgen05_fp8_e5m2", "FP8 E5M2 tensor cores", 16384);
  add(Int8(), "tcgen05_int8", "INT8 tensor cores", 16384);
  add(Mxfp4(), "tcgen05_mxfp4", "MXFP4 tensor cores", 32768);
  add(Mxfp8(), "tcgen05_mxfp8", "MXFP8 (E4M3) tensor cores", 16384);
  add(Nvfp4(), "tcgen05_nvfp4", "NVFP4 tensor cores", 32768);
  add(Tf32(), "tcgen05_tf32", "TF32 tensor cores", 4096);
}

}  // namespace mansard::kernels
