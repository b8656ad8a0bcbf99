// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/kernels/recipes/layer_results.h"
#include "tests/kernels/recipes/multiplying_backend.h"

namespace mansard::kernels {
namespace {

const LinearProblem kProblem = {"small", 160, 96, 224, DataPattern::random_normal, 5};

// E4M3 keeps three mantissa bits: half a step is between 1/32 and 1/16 of a value, its uniform
// error some 2.6 % of it, that of E5M2 twice as much. Errors of a product's two operands add as
// squares: 3.7 % of y, 5.8 % of dx and dW.
TEST(Fp8Recipe, ApproximatesBf16AsWellAsTheFormatsAllow) {
  for (const Pass pass : kPasses) {
    const double relative = relative_error(layer_result(kProblem, Recipe::fp8, pass),
                                           layer_result(kProblem, Recipe::bf16, pass));
    const double expected = pass == Pass::fprop ? 0.037 : 0.058;
    EXPECT_NEAR(relative, expected, 0.15 * expected) << to_string(pass);
  }
}

// The same tensors in every step: from the second on, what the steps before have seen is what they
// hold.
TEST(Fp8DelayedRecipe, ScalesByThePastFromTheSecondStepOn) {
  for (const Pass pass : kPasses) {
    const std::vector<double> current = layer_result(kProblem, Recipe::fp8, pass);
    EXPECT_EQ(layer_result(kProblem, Recipe::fp8_delayed, pass, 1, 2), current);
    EXPECT_EQ(layer_result(kProblem, Recipe::fp8_delayed, pass, 1, 3), current);
    EXPECT_NE(layer_result(kProblem, Recipe::fp8_delayed, pass, 1, 1), current);
  }
}

TEST(Fp8DelayedRecipe, ReadsEachTensorOnce) {
  const auto backend = make_cpu_backend();
  const TrainingStep delayed({kProblem}, Recipe::fp8_delayed, *backend);
  const TrainingStep current({kProblem}, Recipe::fp8, *backend);
  const double x = 160 * 96, w = 96 * 224;
  const double saved = current.layers().front().plan(Pass::fprop).bytes() -
                       delayed.layers().front().plan(Pass::fprop).bytes();
  // Its history costs 8.2 kB a tensor instead.
  EXPECT_NEAR(saved, 2 * (x + w) - 2 * 8 * 1024, 100);
}

class Fp8OnADeviceThatMultipliesIt : public testing::Test {
 protected:
  MultiplyingBackend device_{{Scaling::tensor}};
  TrainingStep step_{{kProblem}, Recipe::fp8, device_, 2};
  const LinearLayer& on_device_ = step_.layers().front();
};

TEST_F(Fp8OnADeviceThatMultipliesIt, MatchesFp64OfItsCodesAndScales) {
  EXPECT_EQ(step_.verify(500, 9), std::vector<std::string>{});
}

TEST_F(Fp8OnADeviceThatMultipliesIt, MultipliesWhatIsDecodedElsewhere) {
  const auto cpu = make_cpu_backend();
  const TrainingStep cpu_step({kProblem}, Recipe::fp8, *cpu);
  const LinearLayer& on_cpu = cpu_step.layers().front();
  for (const Pass pass : kPasses) {
    SCOPED_TRACE(std::string(to_string(pass)));
    on_device_.run(pass);
    on_cpu.run(pass);
    const GemmProblem& d = on_device_.plan(pass).gemm;
    const GemmProblem& c = on_cpu.plan(pass).gemm;
    EXPECT_EQ(operand_values(d.a, d.m, d.k, device_), operand_values(c.a, c.m, c.k, *cpu));
    EXPECT_EQ(operand_values(d.b, d.n, d.k, device_), operand_values(c.b, c.n, c.k, *cpu));
    EXPECT_EQ(read_gemm_factor(d, device_), read_gemm_factor(c, *cpu));
  }
}

// Formats, accumulation and traffic of the three GEMMs; cuBLASLt refuses E5M2 for both operands and
// every layout but the innermost reduction axis.
TEST_F(Fp8OnADeviceThatMultipliesIt, AsksForGemmsThatItHas) {
  for (const Pass pass : kPasses) {
    SCOPED_TRACE(std::string(to_string(pass)));
    const PassPlan& plan = on_device_.plan(pass);
    const GemmProblem& p = plan.gemm;
    EXPECT_EQ(p.a.format, pass == Pass::fprop ? Precision::fp8_e4m3 : Precision::fp8_e5m2);
    EXPECT_EQ(p.b.format, Precision::fp8_e4m3);
    EXPECT_EQ(p.a.reduction, ReductionAxis::inner);
    EXPECT_EQ(p.b.reduction, ReductionAxis::inner);
    EXPECT_EQ(p.fast_accumulation, pass == Pass::fprop);
    // cuBLASLt refuses others, when the product is run.
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p.a.scales) % 16, 0u);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p.b.scales) % 16, 0u);
    EXPECT_EQ(plan.operations.back().work.precision, Precision::fp8_e4m3);
    const double result_bytes = pass == Pass::wgrad ? 4 : 2;
    EXPECT_EQ(p.compulsory_bytes(), static_cast<double>(p.m * p.k + 4 + p.n * p.k + 4) +
                                        result_bytes * static_cast<double>(p.m * p.n));
    for (const Operation& operation : plan.operations) {
      EXPECT_NE(operation.work.operation_class, "dequantize") << operation.annotation;
    }
  }
}

TEST(LayerVerification, NoticesASkippedInstructionInSpiteOfFp8sAllowance) {
  MultiplyingBackend device({Scaling::tensor}, true);
  const TrainingStep step({kProblem}, Recipe::fp8, device);
  EXPECT_EQ(step.verify(20, 9).size(), kPasses.size());
}

}  // namespace
}  // namespace mansard::kernels
