// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/kernels/recipes/layer_results.h"
#include "tests/kernels/recipes/multiplying_backend.h"

namespace mansard::kernels {
namespace {

const LinearProblem kProblem = {"small", 160, 96, 224, DataPattern::random_normal, 5};

// E4M3 keeps three mantissa bits: half a step is between 1/32 and 1/16 of a value, so its uniform
// error is about 2.6 % of it; E5M2's is twice as much. The errors of the two operands of a GEMM add
// in quadrature: 3.7 % of y, 5.8 % of dx and dW.
TEST(Fp8Recipe, ApproximatesBf16AsWellAsTheFormatsAllow) {
  for (const Pass pass : kPasses) {
    const double relative = relative_error(layer_result(kProblem, Recipe::fp8, pass),
                                           layer_result(kProblem, Recipe::bf16, pass));
    const double expected = pass == Pass::fprop ? 0.037 : 0.058;
    EXPECT_NEAR(relative, expected, 0.15 * expected) << to_string(pass);
  }
}

// Every step has the same tensors, so from the second step on the history matches them.
TEST(Fp8DelayedRecipe, UsesTheAmaxHistoryFromTheSecondStep) {
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
  // Instead, its history costs 8.2 kB per tensor.
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

TEST_F(Fp8OnADeviceThatMultipliesIt, MultipliesCodesThatOtherBackendsDecode) {
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

// Formats, accumulation and traffic of the three GEMMs. cuBLASLt rejects E5M2 for both operands and
// every layout without the reduction axis innermost.
TEST_F(Fp8OnADeviceThatMultipliesIt, RequestsOnlySupportedGemms) {
  for (const Pass pass : kPasses) {
    SCOPED_TRACE(std::string(to_string(pass)));
    const PassPlan& plan = on_device_.plan(pass);
    const GemmProblem& p = plan.gemm;
    EXPECT_EQ(p.a.format, pass == Pass::fprop ? Precision::fp8_e4m3 : Precision::fp8_e5m2);
    EXPECT_EQ(p.b.format, Precision::fp8_e4m3);
    EXPECT_EQ(p.a.reduction, ReductionAxis::inner);
    EXPECT_EQ(p.b.reduction, ReductionAxis::inner);
    EXPECT_EQ(p.fast_accumulation, pass == Pass::fprop);
    // cuBLASLt rejects others when the GEMM runs.
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

TEST(LayerVerification, DetectsASkippedInstructionDespiteTheFp8Tolerance) {
  MultiplyingBackend device({Scaling::tensor}, true);
  const TrainingStep step({kProblem}, Recipe::fp8, device);
  EXPECT_EQ(step.verify(20, 9).size(), kPasses.size());
}

}  // namespace
}  // namespace mansard::kernels
