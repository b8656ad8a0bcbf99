// SPDX-License-Identifier: Apache-2.0
// Names as profilers show them, and what these kernels do.
#include <gtest/gtest.h>

#include "analyzer/classify/kernel_rules.h"

namespace mansard {
namespace {

struct Case {
  const char* name;
  const char* operation_class;
  std::optional<Precision> precision = std::nullopt;
};

// gtest prints a failing parameter by this.
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

const Case kCases[] = {
    // cuBLASLt
    {"nvjet_tst_128x256_64x4_1x2_h_bz_coopA_TNT", "gemm", Precision::bf16},
    {"nvjet_tst_192x192_64x4_2x1_v_bz_coopB_TNN", "gemm", Precision::bf16},
    {"nvjet_hsh_256x128_64x4_2x1_v_bz_coopA_NNT", "gemm", Precision::fp16},
    {"nvjet_qqtst_128x256_128x6_2x1_2cta_v_bz_TNT", "gemm", Precision::fp8_e4m3},
    {"nvjet_sm100_qqtst_128x256_128x6_2x1_2cta_v_bz_bias_TNT", "gemm", Precision::fp8_e4m3},
    {"nvjet_qqtst_128x256_128x6_2x2_2cta_h_bz_Avec32UE8M0_Bvec32UE8M0_TNT", "gemm",
     Precision::mxfp8},
    {"nvjet_sm103_oohsh_128x128_256x7_2x2_2cta_v_bz_Avec16UE4M3_Bvec16UE4M3_TNT", "gemm",
     Precision::nvfp4},
    {"nvjet_sm100_tst_64x16_64x16_2x4_2cta_h_bz_splitK_TNT", "gemm", Precision::bf16},
    {"void cublasLt::splitKreduce_kernel<32, 16, int, float, __nv_bfloat16, float, __nv_bfloat16, "
     "true, false, false>(cublasLt::cublasSplitKParams<float>)",
     "gemm"},
    // cuBLAS
    {"sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_execute_"
     "segment_k_off_kernel__5x_cublas",
     "gemm", Precision::bf16},
    {"sm90_xmma_gemm_f16f16_f16f32_f32_nt_n_tilesize64x64x64_execute_kernel__5x_cublas", "gemm",
     Precision::fp16},
    {"sm90_xmma_gemm_f32f32_tf32f32_f32_tn_n_tilesize128x128x32_warpgroupsize1x1x1_execute_"
     "segment_k_off_kernel__5x_cublas",
     "gemm", Precision::tf32},
    {"sm90_xmma_gemm_e4m3bf16_e4m3f32_f32_tn_n_tilesize64x128x128_execute_kernel__5x_cublas",
     "gemm", Precision::fp8_e4m3},
    {"ampere_bf16_s16816gemm_bf16_128x256_ldg8_f2f_stages_64x3_tn", "gemm", Precision::bf16},
    {"ampere_fp16_s16816gemm_fp16_256x128_ldg8_f2f_stages_64x3_nn", "gemm", Precision::fp16},
    {"ampere_sgemm_128x64_tn", "gemm", Precision::fp32},
    {"volta_dgemm_64x64_nn", "gemm", Precision::fp64},
    {"volta_h884gemm_128x64_ldg8_nn", "gemm", Precision::fp16},
    // CUTLASS
    {"void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_128x64_64x3_tn_align8>"
     "(cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_128x64_64x3_tn_align8::Params)",
     "gemm", Precision::bf16},
    {"void cutlass::Kernel2<cutlass_80_tensorop_s1688gemm_128x128_16x5_tn_align4>(T1::Params)",
     "gemm", Precision::tf32},
    {"void cutlass::Kernel2<cutlass_80_simt_sgemm_64x64_8x5_tn_align1>(T1::Params)", "gemm",
     Precision::fp32},
    {"void cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<cute::tuple<int, int, int, "
     "int>, cutlass::gemm::collective::CollectiveMma<cutlass::gemm::"
     "MainloopSm90TmaGmmaWarpSpecialized<4>, cutlass::bfloat16_t, cute::Swizzle<3, 4, 3>>>>"
     "(T1::Params)",
     "gemm", Precision::bf16},
    {"void cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<cutlass::gemm::collective::"
     "CollectiveMma<cutlass::nv_float4_t<cutlass::float_e2m1_t>>>>(T1::Params)",
     "gemm", Precision::nvfp4},
    {"void fp8_gemm_bf16_out_kernel<128, 128>(CUtensorMap)", "gemm"},
    {"void scaled_gemm_kernel<cutlass::float_ue4m3_t, cutlass::float_e2m1_t>(T1)", "gemm",
     Precision::nvfp4},
    {"void gemv2T_kernel_val<int, int, __nv_bfloat16, float, float, 128, 16, 4, 4, false>(int)",
     "gemm"},
    // Attention
    {"void flash_fwd_kernel<Flash_fwd_kernel_traits<128, 128, 64, 4, false, false, "
     "cutlass::bfloat16_t, Flash_kernel_traits<128, 128, 64, 4, cutlass::bfloat16_t>>, false, true>"
     "(Flash_fwd_params)",
     "attention", Precision::bf16},
    {"void pytorch_flash::flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel<Flash_bwd_kernel_traits<64, "
     "cutlass::half_t>>(Flash_bwd_params)",
     "attention", Precision::fp16},
    {"cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16_knob_7_64x128x128_4x1x1_kernel0_"
     "0",
     "attention"},
    {"fmha_cutlassF_bf16_aligned_64x128_rf_sm80(PyTorchMemEffAttention::AttentionKernel<cutlass::"
     "bfloat16_t, cutlass::arch::Sm80, true, 64, 128, 128, true, true>::Params)",
     "attention", Precision::bf16},
    // Number formats
    {"void mansard::nvfp4::nvfp4_quantize_1x16_kernel(uint4 const*, long)", "quantize",
     Precision::nvfp4},
    {"nvfp4_quantize_transposed_kernel", "quantize", Precision::nvfp4},
    {"void mansard::nvfp4::device::nvfp4_strip_quantize<true, true, (mansard::nvfp4::Transform)1, "
     "false, true>(mansard::nvfp4::QuantizeArguments, mansard::nvfp4::device::StripTiles)",
     "quantize", Precision::nvfp4},
    {"nvfp4_next_random_kernel", "elementwise"},
    {"void mansard::fp8::(anonymous namespace)::fp8_cast_transpose_kernel<(mansard::fp8::Format)0, "
     "true>(mansard::Bf16 const*)",
     "quantize"},
    {"void mansard::fp8::(anonymous namespace)::fp8_cast_kernel<(mansard::fp8::Format)0, true>()",
     "quantize"},
    {"void mansard::fp8::(anonymous namespace)::fp8_block_1x128_kernel<(mansard::fp8::Format)0, "
     "true>()",
     "quantize"},
    {"void mansard::fp8::(anonymous namespace)::mxfp8_quantize_kernel<(mansard::fp8::Format)0, true>"
     "()",
     "quantize", Precision::mxfp8},
    {"nvfp4_dequantize_kernel", "dequantize", Precision::nvfp4},
    {"nvfp4_amax_kernel", "amax"},
    {"nvfp4_amax_rht_kernel", "amax"},
    {"nvfp4_rht_kernel", "rht"},
    {"void transformer_engine::(anonymous namespace)::HadamardTransformKernel<__nv_bfloat16, 16>"
     "(__nv_bfloat16 const*)",
     "rht"},
    {"nvfp4_gemm_alpha_kernel", "elementwise"},
    {"void transformer_engine::(anonymous namespace)::amax_kernel<8, true, __nv_bfloat16>"
     "(__nv_bfloat16 const*, float*, unsigned long)",
     "amax"},
    {"cast_transpose_optimized_kernel", "quantize"},
    {"void transformer_engine::quantize_mxfp8_kernel<false, true>(CUtensorMap)", "quantize",
     Precision::mxfp8},
    // ATen
    {"void at::native::vectorized_elementwise_kernel<4, "
     "at::native::CUDAFunctor_add<c10::BFloat16>, "
     "std::array<char*, 3ul> >(int, at::native::CUDAFunctor_add<c10::BFloat16>)",
     "elementwise"},
    {"void at::native::vectorized_elementwise_kernel<4, at::native::(anonymous namespace)::"
     "silu_kernel(at::TensorIteratorBase&)::{lambda()#1}, std::array<char*, 2ul> >(int)",
     "activation"},
    {"void at::native::vectorized_elementwise_kernel<4, at::native::GeluCUDAKernelImpl("
     "at::TensorIteratorBase&, at::native::GeluType)::{lambda()#2}>(int)",
     "activation"},
    {"void at::native::vectorized_elementwise_kernel<4, at::native::bfloat16_copy_kernel_cuda("
     "at::TensorIteratorBase&)::{lambda(float)#1}, std::array<char*, 2ul> >(int)",
     "cast"},
    {"void at::native::elementwise_kernel<128, 4, at::native::gpu_kernel_impl_nocast<at::native::"
     "direct_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda()#3}> >(int)",
     "copy"},
    {"void at::native::(anonymous namespace)::CatArrayBatchedCopy_aligned16_contig<at::native::("
     "anonymous namespace)::OpaqueType<2u>, unsigned int, 3, 64, 64>(T1*)",
     "copy"},
    {"void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, "
     "at::native::func_wrapper_t<"
     "float, at::native::sum_functor<float, float, float> >, unsigned int, float, 4> >(T3)",
     "reduction"},
    {"void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<c10::BFloat16, float>"
     "(int, float)",
     "norm"},
    {"void at::native::(anonymous namespace)::GammaBetaBackwardCUDAKernelTemplate<float, float, 32>"
     "(long)",
     "norm"},
    {"void (anonymous namespace)::softmax_warp_forward<c10::BFloat16, c10::BFloat16, float, 10, "
     "false, false>(c10::BFloat16*)",
     "softmax"},
    {"void at::native::(anonymous namespace)::cunn_SoftMaxForward<8, float, float, float>(float*)",
     "softmax"},
    {"void at::native::(anonymous namespace)::nll_loss_forward_reduce_cuda_kernel_2d<float, float, "
     "long>(float*)",
     "loss"},
    {"void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::(anonymous "
     "namespace)::FusedOptimizerTensorListMetadata<4>, at::native::(anonymous namespace)::"
     "FusedAdamMathFunctor<float, 4> >(T1)",
     "optimizer"},
    {"void at::native::(anonymous namespace)::embedding_backward_feature_kernel<c10::BFloat16, "
     "float, long>(long const*)",
     "embedding"},
    {"void at::native::index_elementwise_kernel<128, 4, at::native::gpu_index_kernel<at::native::"
     "index_kernel_impl<at::native::OpaqueType<2> > > >(long)",
     "embedding"},
    {"void at_cuda_detail::cub::DeviceReduceSingleTileKernel<at_cuda_detail::cub::"
     "DeviceReducePolicy<float>>(float*)",
     "reduction"},
    {"triton_poi_fused_add_mul_silu_0", "activation"},
    {"triton_red_fused_add_mean_0", "reduction"},
    // Communication
    {"ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)", "collective"},
    {"ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL", "collective"},
    {"ncclKernel_AllGather_RING_LL_Sum_int8_t(ncclWorkElem)", "collective"},
    {"ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)", "collective"},
    // Names that contain another class's word by accident: hadamard has adam, adamax has amax
    {"void (anonymous namespace)::adamax_kernel<float>(float*)", "optimizer"},
    {"void adamw_kernel<float>(float*)", "optimizer"},
    {"void property_kernel(int)", "other"},
    {"void right_hand_side(double*)", "other"},
    {"void tiny_kernel(unsigned int*)", "other"},
};

class KernelNameTable : public testing::TestWithParam<Case> {};

TEST_P(KernelNameTable, IsClassified) {
  const KernelClass found = kernel_rules().classify(GetParam().name);
  EXPECT_EQ(found.operation_class, GetParam().operation_class);
  EXPECT_EQ(found.precision, GetParam().precision);
}

INSTANTIATE_TEST_SUITE_P(Names, KernelNameTable, testing::ValuesIn(kCases));

}  // namespace
}  // namespace mansard
