// SPDX-License-Identifier: Apache-2.0
#include "kernels/annotation/hlo_work.h"

#include <gtest/gtest.h>

namespace mansard::kernels {
namespace {

// As XLA of JAX 0.11 writes it.
constexpr std::string_view kModule = R"(HloModule jit_step, is_scheduled=true

FileNames
1 "train.py"

%gemm_fusion_dot.1_computation (parameter_0: bf16[64,128,32], parameter_1: bf16[64,32,256]) -> f32[64,128,256] {
  %parameter_0 = bf16[64,128,32]{2,1,0} parameter(0), metadata={scheduling_name="parameter_0"}
  %parameter_1 = bf16[64,32,256]{2,1,0} parameter(1)
  %dot.5 = f32[64,128,256]{2,1,0} dot(%parameter_0, %parameter_1), lhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_batch_dims={0}, rhs_contracting_dims={1}, metadata={op_name="jit(step)/lhs_contracting_dims={9}"}
  ROOT %mul.1 = f32[64,128,256]{2,1,0} multiply(%dot.5, %dot.5)
}

%region_0 (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %add.1 = f32[] add(%a, %b)
}

%fused_computation (param_0.1: f32[64,1024], param_1: f32[64]) -> (f32[64,1024], f32[64]) {
  %param_0.1 = f32[64,1024]{1,0} parameter(0)
  %param_1 = f32[64]{0} parameter(1)
  %exp.1 = f32[64,1024]{1,0} exponential(%param_0.1)
  %constant.1 = f32[] constant(0)
  %reduce.1 = f32[64]{0} reduce(%exp.1, %constant.1), dimensions={1}, to_apply=%region_0
  ROOT %tuple.1 = (f32[64,1024]{1,0}, f32[64]{0}) tuple(%exp.1, %reduce.1)
}

%fused_slice (param_0.2: bf16[1000,1000], param_1.2: s32[]) -> bf16[10,10] {
  %param_0.2 = bf16[1000,1000]{1,0} parameter(0)
  %param_1.2 = s32[] parameter(1)
  ROOT %dynamic-slice.1 = bf16[10,10]{1,0} dynamic-slice(%param_0.2, %param_1.2, %param_1.2), dynamic_slice_sizes={10,10}
}

%fused_update (param_0.3: bf16[1000,1000], param_1.3: bf16[10,10], param_2.3: s32[]) -> bf16[1000,1000] {
  %param_0.3 = bf16[1000,1000]{1,0} parameter(0)
  %param_1.3 = bf16[10,10]{1,0} parameter(1)
  %param_2.3 = s32[] parameter(2)
  ROOT %dynamic-update-slice.1 = bf16[1000,1000]{1,0} dynamic-update-slice(%param_0.3, %param_1.3, %param_2.3, %param_2.3)
}

%inner_dot (parameter_0.7: f8e4m3fn[16,32], parameter_1.7: f8e4m3fn[32,8]) -> bf16[16,8] {
  %parameter_0.7 = f8e4m3fn[16,32]{1,0} parameter(0)
  %parameter_1.7 = f8e4m3fn[32,8]{1,0} parameter(1)
  ROOT %dot.7 = bf16[16,8]{1,0} dot(%parameter_0.7, %parameter_1.7), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}

%outer (p.0: f8e4m3fn[16,32], p.1: f8e4m3fn[32,8]) -> bf16[16,8] {
  %p.0 = f8e4m3fn[16,32]{1,0} parameter(0)
  %p.1 = f8e4m3fn[32,8]{1,0} parameter(1)
  ROOT %block.1 = bf16[16,8]{1,0} fusion(%p.0, %p.1), kind=kCustom, calls=%inner_dot
}

%command_buffer (x.1: f32[64,1024], y.1: f32[64]) -> (f32[64,1024], f32[64]) {
  %x.1 = f32[64,1024]{1,0} parameter(0)
  %y.1 = f32[64]{0} parameter(1)
  ROOT %fusion.3 = (f32[64,1024]{1,0}, f32[64]{0}) fusion(%x.1, %y.1), kind=kInput, calls=%fused_computation
}

ENTRY %main.56 (q: bf16[64,128,32], k: bf16[64,32,256], x: f32[64,1024], table: bf16[1000,1000]) -> f32[64,128,256] {
  %q = bf16[64,128,32]{2,1,0} parameter(0), sharding={replicated}
  %k = bf16[64,32,256]{2,1,0} parameter(1)
  %table = bf16[1000,1000]{1,0} parameter(3)
  %i = s32[] constant(3)
  %gemm_fusion_dot.1 = f32[64,128,256]{2,1,0} fusion(%q, %k), kind=kCustom, calls=%gemm_fusion_dot.1_computation, backend_config={"config":{"sizes":["128"]}}
  %call.1 = (f32[64,1024]{1,0}, /*index=1*/f32[64]{0}) call(%x, %y), to_apply=%command_buffer
  %loop_slice_fusion = bf16[10,10]{1,0} fusion(%table, %i), kind=kLoop, calls=%fused_slice
  %loop_update_fusion = bf16[1000,1000]{1,0} fusion(%table, %loop_slice_fusion, %i), kind=kLoop, calls=%fused_update
  %custom-call.2 = (f8e4m3fn[16,32]{1,0}, f8e4m3fn[32,8]{1,0}, s8[1024]{0}) custom-call(%q), custom_call_target="__cublas$lt$matmul"
  %fusion.9 = bf16[16,8]{1,0} fusion(%custom-call.2#0, %custom-call.2#1), kind=kCustom, calls=%outer
  ROOT %lost = f32[64,128,256]{2,1,0} fusion(%gemm_fusion_dot.1), kind=kLoop, calls=%not_in_this_file
}
)";

double hbm_bytes(const WorkAnnotation& work) { return work.bytes.at(MemoryLevel::hbm); }

TEST(HloWork, FusionsOfDotsHaveFlop) {
  const auto work = work_of_hlo(kModule);
  const WorkAnnotation& gemm = work.at("gemm_fusion_dot.1");
  EXPECT_EQ(gemm.flop, 2.0 * 64 * 128 * 256 * 32);
  EXPECT_EQ(hbm_bytes(gemm), 2.0 * 64 * 32 * (128 + 256) + 4.0 * 64 * 128 * 256);
  EXPECT_EQ(gemm.precision, Precision::bf16);
  EXPECT_EQ(gemm.operation_class, "gemm");
  EXPECT_TRUE(gemm.modeled);
}

TEST(HloWork, OthersHaveBytes) {
  const auto work = work_of_hlo(kModule);
  const WorkAnnotation& softmax = work.at("fusion.3");
  EXPECT_EQ(softmax.flop, 0);
  EXPECT_EQ(hbm_bytes(softmax), 4.0 * (2 * 64 * 1024 + 64)) << "its second operand is not used";
  EXPECT_EQ(softmax.operation_class, "softmax");
}

TEST(HloWork, OperandsMayBeTakenInPart) {
  const auto work = work_of_hlo(kModule);
  EXPECT_EQ(hbm_bytes(work.at("loop_slice_fusion")), 2.0 * 2 * 10 * 10 + 4);
  EXPECT_EQ(hbm_bytes(work.at("loop_update_fusion")), 2.0 * 2 * 10 * 10 + 4) << "in place";
  EXPECT_EQ(work.at("loop_slice_fusion").operation_class, "") << "its name tells";
}

TEST(HloWork, FusionsWithinAFusionArePartsOfIt) {
  const auto work = work_of_hlo(kModule);
  EXPECT_EQ(work.at("fusion.9").flop, 2.0 * 16 * 8 * 32);
  EXPECT_EQ(work.at("fusion.9").precision, Precision::fp8_e4m3);
  EXPECT_EQ(hbm_bytes(work.at("fusion.9")), 16 * 32 + 32 * 8 + 2.0 * 16 * 8);
  EXPECT_FALSE(work.contains("block.1"));
  EXPECT_FALSE(work.contains("custom-call.2")) << "its library tells";
  EXPECT_FALSE(work.contains("lost"));
  EXPECT_EQ(work.size(), 5u);
}

TEST(HloWork, NamesMayLackPercentSignsAndOperandsHaveTypes) {
  const auto work = work_of_hlo(
      "add_computation (p0: f16[8], p1: f16[8]) -> f16[8] {\n"
      "  p0 = f16[8]{0} parameter(0)\n"
      "  p1 = f16[8]{0} parameter(1)\n"
      "  ROOT add.2 = f16[8]{0} add(f16[8]{0} p0, f16[8]{0} p1)\n"
      "}\n\n"
      "ENTRY main (a: f16[8], b: f16[8]) -> f16[8] {\n"
      "  a = f16[8]{0} parameter(0)\n"
      "  ROOT fusion = f16[8]{0} fusion(f16[8]{0} a, f16[8]{0} a), kind=kLoop, "
      "calls=add_computation\n"
      "}\n");
  EXPECT_EQ(hbm_bytes(work.at("fusion")), 2.0 * 2 * 8) << "a is read once";
  EXPECT_EQ(work.at("fusion").operation_class, "elementwise");
}

TEST(HloWork, TheAlgorithmOfADotTellsItsPrecision) {
  std::string text(kModule);
  const std::string_view dims = "lhs_batch_dims={0}, ";
  const std::size_t at = text.find(dims);
  for (const auto& [algorithm, precision] : {std::pair("dot_bf16_bf16_f32", Precision::bf16),
                                             std::pair("dot_f16_f16_f32", Precision::fp16),
                                             std::pair("dot_tf32_tf32_f32_x3", Precision::tf32),
                                             std::pair("dot_f32_f32_f32", Precision::fp32)}) {
    std::string changed = text;
    changed.insert(at, "algorithm=" + std::string(algorithm) + ", ");
    EXPECT_EQ(work_of_hlo(changed).at("gemm_fusion_dot.1").precision, precision) << algorithm;
  }
}

TEST(HloWork, DamagedTextDoesNoHarm) {
  EXPECT_TRUE(work_of_hlo("").empty());
  for (std::size_t end = 0; end < kModule.size(); ++end) {
    EXPECT_LE(work_of_hlo(kModule.substr(0, end)).size(), 5u);
  }
  std::string text(kModule);
  for (std::size_t i = 0; i < text.size(); ++i) {
    for (const char c : {'(', ')', '{', ' ', '9'}) {
      const char before = std::exchange(text[i], c);
      EXPECT_LE(work_of_hlo(text).size(), 8u);
      text[i] = before;
    }
  }
}

// A fusion that calls itself.
TEST(HloWork, CyclesEnd) {
  const auto work = work_of_hlo(
      "%loop (p: f32[4]) -> f32[4] {\n"
      "  %p = f32[4]{0} parameter(0)\n"
      "  ROOT %fusion.1 = f32[4]{0} fusion(%p), kind=kLoop, calls=%loop\n"
      "}\n");
  EXPECT_TRUE(work.empty());
}

}  // namespace
}  // namespace mansard::kernels
