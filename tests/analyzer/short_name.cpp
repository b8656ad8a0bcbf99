// SPDX-License-Identifier: Apache-2.0
#include "analyzer/classify/short_name.h"

#include <gtest/gtest.h>

namespace mansard::analysis {
namespace {

TEST(ShortName, DropsWhatIsNotTheName) {
  EXPECT_EQ(short_kernel_name("saxpy(float*, float)"), "saxpy");
  EXPECT_EQ(short_kernel_name("void ns::kernel<4, float>(float const*)"), "kernel");
  EXPECT_EQ(short_kernel_name("void a::b<c::d<1>>::kernel<e<2> >(int)"), "kernel");
  EXPECT_EQ(
      short_kernel_name("void at::native::(anonymous namespace)::softmax_warp<float>(float*)"),
      "softmax_warp");
  EXPECT_EQ(short_kernel_name("void at::native::<unnamed>::softmax_warp<(int)2>(T1 *)"),
            "softmax_warp");
}

TEST(ShortName, KeepsNamesThatAreNotDeclarations) {
  const std::string nvjet = "nvjet_tst_128x256_64x4_1x2_h_bz_coopA_TNT";
  EXPECT_EQ(short_kernel_name(nvjet), nvjet);
  EXPECT_EQ(short_kernel_name(""), "");
  EXPECT_EQ(short_kernel_name("(unnamed kernel)"), "(unnamed kernel)");
}

TEST(ShortName, KeepsWhatWasCutOffInTheMiddle) {
  const std::string cut = "void cutlass::Kernel2<cutlass_80_tensorop_s1688gemm_128x";
  EXPECT_EQ(short_kernel_name(cut), cut);
}

}  // namespace
}  // namespace mansard::analysis
