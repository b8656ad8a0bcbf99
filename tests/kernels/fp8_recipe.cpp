// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/kernels/fp8_multiplying_backend.h"
#include "tests/kernels/gemm_operand_values.h"
#include "tests/kernels/layer_results.h"

namespace mansard {
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

class Fp8OnADeviceThatMultipliesIt : public testing::Test {
 protected:
  Fp8MultiplyingBackend device_;
  LinearLayer on_device_{kProblem, Recipe::fp8, device_};
};

TEST_F(Fp8OnADeviceThatMultipliesIt, MatchesFp64OfItsCodesAndScales) {
  for (const Pass pass : kPasses) EXPECT_EQ(on_device_.verify(pass, 500, 9), "");
}

TEST_F(Fp8OnADeviceThatMultipliesIt, MultipliesWhatIsDecodedElsewhere) {
  const auto cpu = make_cpu_backend();
  const LinearLayer on_cpu(kProblem, Recipe::fp8, *cpu);
  for (const Pass pass : kPasses) {
    SCOPED_TRACE(std::string(to_string(pass)));
    on_device_.run(pass);
    on_cpu.run(pass);
    const GemmProblem& d = on_device_.plan(pass).gemm;
    const GemmProblem& c = on_cpu.plan(pass).gemm;
    EXPECT_EQ(operand_values(d.a, d.m * d.k, device_), operand_values(c.a, c.m * c.k, *cpu));
    EXPECT_EQ(operand_values(d.b, d.n * d.k, device_), operand_values(c.b, c.n * c.k, *cpu));
    EXPECT_EQ(operand_factor(d, device_), operand_factor(c, *cpu));
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
    EXPECT_EQ(plan.operations.back().work.precision, Precision::fp8_e4m3);
    const double result_bytes = pass == Pass::wgrad ? 4 : 2;
    EXPECT_EQ(p.compulsory_bytes(), static_cast<double>(p.m * p.k + p.n * p.k) +
                                        result_bytes * static_cast<double>(p.m * p.n));
    for (const Operation& operation : plan.operations) {
      EXPECT_NE(operation.work.operation_class, "dequantize") << operation.annotation;
    }
  }
}

TEST(LayerVerification, NoticesASkippedInstructionInSpiteOfFp8sAllowance) {
  Fp8MultiplyingBackend device(true);
  const LinearLayer layer(kProblem, Recipe::fp8, device);
  for (const Pass pass : kPasses) EXPECT_NE(layer.verify(pass, 20, 9), "") << to_string(pass);
}

}  // namespace
}  // namespace mansard
