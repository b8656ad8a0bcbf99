// SPDX-License-Identifier: Apache-2.0
// Recipes with block scales, with operands expanded as on the CPU, and multiplied as by a device
// with tensor cores for them.
#include <gtest/gtest.h>

#include "tests/kernels/recipes/layer_results.h"
#include "tests/kernels/recipes/multiplying_backend.h"
#include "tests/kernels/recipes/small_problem.h"

namespace mansard::kernels {
namespace {

struct Case {
  Recipe recipe;
  std::vector<Scaling> scalings;  // scalings that the device multiplies
  Precision precision;            // of the device's GEMMs
  // Operands of fprop, and the elements that share a scale.
  Precision format;
  Scaling of_x, of_w;
};

std::vector<Case> block_cases() {
  const auto e4m3 = Precision::fp8_e4m3;
  return {{Recipe::fp8_block,
           {Scaling::block_1x128, Scaling::block_128x128},
           e4m3,
           e4m3,
           Scaling::block_1x128,
           Scaling::block_128x128},
          {Recipe::mxfp8,
           {Scaling::mx_1x32},
           Precision::mxfp8,
           e4m3,
           Scaling::mx_1x32,
           Scaling::mx_1x32},
          {Recipe::nvfp4,
           {Scaling::nv_1x16},
           Precision::nvfp4,
           Precision::nvfp4,
           Scaling::nv_1x16,
           Scaling::nv_1x16}};
}

class BlockRecipe : public testing::TestWithParam<Case> {
 protected:
  MultiplyingBackend device_{GetParam().scalings};
};

TEST_P(BlockRecipe, MatchesFp64OfItsCodesAndScales) {
  const TrainingStep step({kSmallProblem}, GetParam().recipe, device_, 2);
  EXPECT_EQ(step.verify(300, 9), std::vector<std::string>{});
}

TEST_P(BlockRecipe, MultipliesCodesThatOtherBackendsExpand) {
  const auto cpu = make_cpu_backend();
  const TrainingStep on_device({kSmallProblem}, GetParam().recipe, device_);
  const TrainingStep on_cpu({kSmallProblem}, GetParam().recipe, *cpu);
  for (const Pass pass : kPasses) {
    SCOPED_TRACE(std::string(to_string(pass)));
    on_device.layers().front().run(pass);
    on_cpu.layers().front().run(pass);
    const GemmProblem& d = on_device.layers().front().plan(pass).gemm;
    const GemmProblem& c = on_cpu.layers().front().plan(pass).gemm;
    EXPECT_TRUE(d.a.is_quantized());
    EXPECT_FALSE(c.a.is_quantized());
    EXPECT_EQ(operand_values(d.a, d.m, d.k, device_), operand_values(c.a, c.m, c.k, *cpu));
    EXPECT_EQ(operand_values(d.b, d.n, d.k, device_), operand_values(c.b, c.n, c.k, *cpu));
    EXPECT_EQ(read_gemm_factor(d, device_), read_gemm_factor(c, *cpu));
  }
}

// cuBLASLt supports these formats with the reduction axis innermost, FP32 scales of 128x128 for at
// most one operand, no fast accumulation, and scales aligned to 16 bytes.
TEST_P(BlockRecipe, RequestsOnlySupportedGemms) {
  const Case& expected = GetParam();
  const TrainingStep step({kSmallProblem}, expected.recipe, device_, 2);
  for (const MicroBatch which : kMicroBatches) {
    for (const Pass pass : kPasses) {
      SCOPED_TRACE(std::string(to_string(pass)));
      const PassPlan& plan = step.layers().front().plan(pass, which);
      const GemmProblem& p = plan.gemm;
      for (const GemmOperand* operand : {&p.a, &p.b}) {
        EXPECT_EQ(operand->format, expected.format);
        EXPECT_EQ(operand->reduction, ReductionAxis::inner);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(operand->data) % 16, 0u);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(operand->scales) % 16, 0u);
      }
      EXPECT_EQ(p.a.scaling, expected.of_x);
      EXPECT_EQ(p.b.scaling, pass == Pass::wgrad ? expected.of_x : expected.of_w);
      EXPECT_FALSE(p.fast_accumulation);
      EXPECT_EQ(plan.operations.back().work.precision, expected.precision);
      for (const Operation& operation : plan.operations) {
        EXPECT_NE(operation.work.operation_class, "dequantize") << operation.annotation;
      }
    }
  }
}

// If rows of codes are not whole vectors or blocks, the layer is expanded on every device.
TEST_P(BlockRecipe, ExpandsLayersThatTensorCoresDoNotSupport) {
  LinearProblem odd = kSmallProblem;
  odd.tokens = 16 * 9;
  const TrainingStep step({odd}, GetParam().recipe, device_);
  const bool native = reduction_multiple(GetParam().of_x) == 16;
  for (const Pass pass : kPasses) {
    EXPECT_EQ(step.layers().front().plan(pass).gemm.a.is_quantized(), native);
  }
  EXPECT_EQ(step.verify(100, 9), std::vector<std::string>{});
}

INSTANTIATE_TEST_SUITE_P(Recipes, BlockRecipe, testing::ValuesIn(block_cases()),
                         [](const auto& test) {
                           return std::string(to_string(test.param.recipe));
                         });

// E4M3 for both operands of every GEMM: an error of 2.6 % each, for any block size (see the test of
// the FP8 recipe). Power-of-two scales hardly change that.
TEST(BlockRecipes, ApproximateBf16AsWellAsE4m3Allows) {
  for (const Recipe recipe : {Recipe::fp8_block, Recipe::mxfp8}) {
    for (const Pass pass : kPasses) {
      const double relative = relative_error(layer_result(kSmallProblem, recipe, pass),
                                             layer_result(kSmallProblem, Recipe::bf16, pass));
      EXPECT_NEAR(relative, 0.037, 0.15 * 0.037) << to_string(recipe) << ' ' << to_string(pass);
    }
  }
}

// Traffic of an operand of 160 x 96: codes, and factors in their memory layout.
TEST(OperandBytes, CountCodesAndScales) {
  GemmOperand operand;
  EXPECT_EQ(operand.bytes({160, 96}), 2 * 160 * 96);
  operand.format = Precision::fp8_e4m3;
  operand.scaling = Scaling::block_1x128;
  EXPECT_EQ(operand.bytes({160, 96}), 160 * 96 + 4 * 160);
  operand.scaling = Scaling::block_128x128;
  EXPECT_EQ(operand.bytes({160, 96}), 160 * 96 + 4 * 2 * 4);
  operand.scaling = Scaling::mx_1x32;
  EXPECT_EQ(operand.bytes({160, 96}), 160 * 96 + 256 * 4);
  operand.format = Precision::nvfp4;
  operand.scaling = Scaling::nv_1x16;
  EXPECT_EQ(operand.bytes({160, 96}), 160 * 48 + 256 * 8);
}

}  // namespace
}  // namespace mansard::kernels
