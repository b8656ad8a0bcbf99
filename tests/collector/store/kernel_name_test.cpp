// SPDX-License-Identifier: Apache-2.0
#include "collector/store/kernel_name.h"

#include <gtest/gtest.h>

namespace mansard::store {
namespace {

TEST(Demangle, CppNamesAndOthers) {
  EXPECT_EQ(demangle("_Z6squarePfi"), "square(float*, int)");
  EXPECT_EQ(demangle("triton_poi_fused_add_0"), "triton_poi_fused_add_0");
  EXPECT_EQ(demangle("_Zbroken("), "_Zbroken(");
}

struct Case {
  const char* demangled;
  const char* expected;
};

class ShortName : public testing::TestWithParam<Case> {};

TEST_P(ShortName, Is) { EXPECT_EQ(short_kernel_name(GetParam().demangled), GetParam().expected); }

INSTANTIATE_TEST_SUITE_P(
    Names, ShortName,
    testing::Values(
        Case{"square(float*, int)", "square"},
        Case{"triton_poi_fused_add_0", "triton_poi_fused_add_0"},
        Case{
            "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, "
            "at::detail::Array<char*, 3> >(int, at::native::CUDAFunctor_add<float>, "
            "at::detail::Array<char*, 3>)",
            "vectorized_elementwise_kernel"},
        Case{"void cutlass::Kernel2<cutlass_80_wmma_tensorop_bf16_s161616gemm>(Params)", "Kernel2"},
        Case{"void (anonymous namespace)::softmax_warp_forward<float, 10, (bool)1>(float*)",
             "softmax_warp_forward"},
        Case{"void f<(3 > 2), (1 < 2)>(int)", "f"},
        Case{"void k<ns::S::operator()(int)::{lambda(float)#1}>(float)", "k"},
        Case{"ns::Functor::operator()(int) const", "operator()"},
        Case{"ns::A::operator<<(int)", "operator<<"},
        Case{"void operator_kernel<int>(int)", "operator_kernel"},
        Case{"sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64",
             "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64"},
        Case{"void at::native::<unnamed>::softmax_warp<(int)2>(T1 *)", "softmax_warp"},
        Case{"void a::b<c::d<1>>::kernel<e<2> >(int)", "kernel"},
        Case{"nvjet_tst_128x256_64x4_1x2_h_bz_coopA_TNT",
             "nvjet_tst_128x256_64x4_1x2_h_bz_coopA_TNT"},
        Case{"(unnamed kernel)", "(unnamed kernel)"},
        // Truncated.
        Case{"void cutlass::Kernel2<cutlass_80_tensorop_s1688gemm_128x",
             "void cutlass::Kernel2<cutlass_80_tensorop_s1688gemm_128x"},
        Case{"", ""}));

TEST(OperationOfTemplate, IsTheArgumentThatComputes) {
  EXPECT_EQ(
      operation_of_template(
          "void at::native::elementwise_kernel<128, 4, at::native::gpu_kernel_impl_nocast<at::"
          "native::direct_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda()#3}::operator()"
          "() const::{lambda(float)#1}>(at::TensorIteratorBase&)::{lambda(int)#1}>(int)"),
      "direct_copy_kernel_cuda");
  EXPECT_EQ(
      operation_of_template(
          "void at::native::vectorized_elementwise_kernel<4, at::native::BUnaryFunctor<float, "
          "float, float, at::native::binary_internal::MulFunctor<float> >, std::array<char*, "
          "2ul> >(int)"),
      "MulFunctor");
  EXPECT_EQ(operation_of_template(
                "void at::native::vectorized_elementwise_kernel<8, at::native::(anonymous "
                "namespace)::silu_kernel(at::TensorIteratorBase&)::{lambda()#1}>(int)"),
            "silu_kernel");
  EXPECT_EQ(operation_of_template(
                "void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::("
                "anonymous namespace)::FusedOptimizerTensorListMetadata<4>, at::native::(anonymous "
                "namespace)::FusedAdamMathFunctor<c10::BFloat16, 4>, float const*>(float)"),
            "FusedAdamMathFunctor");
  EXPECT_EQ(operation_of_template("void at::native::vectorized_elementwise_kernel<8, "
                                  "at::native::CUDAFunctor_add<float>, std::array<char*, 3ul> >()"),
            "CUDAFunctor_add");
  EXPECT_EQ(operation_of_template(
                "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::"
                "MeanOps<float, float, float, float>, unsigned int, float, 4, 4> >(float)"),
            "MeanOps");
  // No generic kernel, and no argument that says the operation.
  EXPECT_EQ(operation_of_template("void ns::gemm_kernel<ns::CUDAFunctor_add<float> >(int)"), "");
  EXPECT_EQ(operation_of_template("void at::native::reduce_kernel<512, 1>(float)"), "");
  EXPECT_EQ(operation_of_template("reduce_kernel"), "");
  EXPECT_EQ(operation_of_template(""), "");
}

}  // namespace
}  // namespace mansard::store
