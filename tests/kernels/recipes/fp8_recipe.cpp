// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/kernels/recipes/layer_results.h"
#include "tests/kernels/recipes/multiplying_backend.h"
#include "tests/kernels/recipes/small_problem.h"

namespace mansard::kernels {
namespace {

// E4M3 keeps three mantissa bits: half a step is between 1/32 and 1/16 of a value, so its uniform
// error is about 2.6 % of it; E5M2's is twice as much. The errors of the two operands of a GEMM add
// in quadrature: 3.7 % of y, 5.8 % of dx and dW.
TEST(Fp8Recipe, ApproximatesBf16AsWellAsTheFormatsAllow) {
  for (const Pass pass : kPasses) {
    const double relative = relative_error(layer_result(kSmallProblem, Recipe::fp8, pass),
                                           layer_result(kSmallProblem, Recipe::bf16, pass));
    const double expected = pass == Pass::fprop ? 0.037 : 0.058;
    EXPECT_NEAR(relative, expected, 0.15 * expected) << to_string(pass);
  }
}

// Every step has the same tensors, so from the second step on the history matches them.
TEST(Fp8DelayedRecipe, UsesTheAmaxHistoryFromTheSecondStep) {
  for (const Pass pass : kPasses) {
    const std::vector<double> current = layer_result(kSmallProblem, Recipe::fp8, pass);
    EXPECT_EQ(layer_result(kSmallProblem, Recipe::fp8_delayed, pass, 1, 2), current);
    EXPECT_EQ(layer_result(kSmallProblem, Recipe::fp8_delayed, pass, 1, 3), current);
    EXPECT_NE(layer_result(kSmallProblem, Recipe::fp8_delayed, pass, 1, 1), current);
  }
}

TEST(Fp8DelayedRecipe, ReadsEachTensorOnce) {
  const auto backend = make_cpu_backend();
  const TrainingStep delayed({kSmallProblem}, Recipe::fp8_delayed, *backend);
  const TrainingStep current({kSmallProblem}, Recipe::fp8, *backend);
  const double x = 160 * 96, w = 96 * 224;
  const double saved = current.layers().front().plan(Pass::fprop).bytes() -
                       delayed.layers().front().plan(Pass::fprop).bytes();
  // Instead, its history costs 8.2 kB per tensor.
  EXPECT_NEAR(saved, 2 * (x + w) - 2 * 8 * 1024, 100);
}

// The operations of a layer's passes, and the codes and scales that they leave for the GEMMs.
struct PassesOnGivenTensors {
  std::vector<std::string> operations;
  std::vector<double> results;
};

PassesOnGivenTensors run_with(Recipe recipe, bool provide_amax) {
  const LinearProblem p = {"given", 32, 48, 64};
  const auto backend = make_cpu_backend();
  Arena arena;
  LayerTensors t;
  t.x = arena.reserve(2 * p.tokens * p.in_features);
  t.w = arena.reserve(2 * p.out_features * p.in_features);
  t.y = arena.reserve(2 * p.tokens * p.out_features);
  t.dy = arena.reserve(2 * p.tokens * p.out_features);
  t.dx = arena.reserve(2 * p.tokens * p.in_features);
  t.dw = arena.reserve(4 * p.out_features * p.in_features);
  if (provide_amax) t.x_amax = arena.reserve(4), t.dy_amax = arena.reserve(4);
  const Buffer workspace = arena.reserve(backend->gemm_workspace_bytes());
  ReservedLayer reserved = reserve_layer(p, t, recipe, *backend, arena);
  arena.allocate(*backend);
  const auto fill = [&](const Buffer& tensor, Shape shape, std::uint64_t seed, const Buffer& amax) {
    backend->fill(tensor.as<Bf16>(), shape.elements(), DataPattern::random_normal, seed, 0);
    if (amax.as<float>() != nullptr) backend->amax(tensor.as<Bf16>(), shape, amax.as<float>());
  };
  fill(t.x, {p.tokens, p.in_features}, 1, t.x_amax);
  fill(t.w, {p.out_features, p.in_features}, 2, {});
  fill(t.dy, {p.tokens, p.out_features}, 3, t.dy_amax);
  const LinearLayer layer(std::move(reserved), 1, workspace.as<void>(), *backend);
  PassesOnGivenTensors all;
  for (const Pass pass : kPasses) {
    layer.run(pass);
    for (const Operation& o : layer.plan(pass).operations) all.operations.push_back(o.work.name);
    for (const double value : result_values(layer.plan(pass).gemm, *backend)) {
      all.results.push_back(value);
    }
  }
  return all;
}

TEST(ProvidedAmax, ReplacesTheReadingOfXAndDy) {
  for (const Recipe recipe : {Recipe::fp8, Recipe::mor_tensor, Recipe::mor_block}) {
    SCOPED_TRACE(std::string(to_string(recipe)));
    const PassesOnGivenTensors separate = run_with(recipe, false),
                               provided = run_with(recipe, true);
    EXPECT_EQ(provided.results, separate.results);
    std::vector<std::string> expected;
    for (const std::string& name : separate.operations) {
      if (name != "amax x" && name != "amax dy") expected.push_back(name);
    }
    EXPECT_EQ(provided.operations, expected);
    EXPECT_EQ(separate.operations.size(), expected.size() + 2);
  }
}

TEST(ProvidedAmax, IsIgnoredByRecipesThatDoNotNeedIt) {
  for (const Recipe recipe : {Recipe::bf16, Recipe::fp8_delayed, Recipe::mxfp8, Recipe::nvfp4}) {
    SCOPED_TRACE(std::string(to_string(recipe)));
    const PassesOnGivenTensors separate = run_with(recipe, false),
                               provided = run_with(recipe, true);
    EXPECT_EQ(provided.results, separate.results);
    EXPECT_EQ(provided.operations, separate.operations);
  }
}

class Fp8OnADeviceThatMultipliesIt : public testing::Test {
 protected:
  MultiplyingBackend device_{{Scaling::tensor}};
  TrainingStep step_{{kSmallProblem}, Recipe::fp8, device_, 2};
  const LinearLayer& on_device_ = step_.layers().front();
};

TEST_F(Fp8OnADeviceThatMultipliesIt, MatchesFp64OfItsCodesAndScales) {
  EXPECT_EQ(step_.verify(500, 9), std::vector<std::string>{});
}

TEST_F(Fp8OnADeviceThatMultipliesIt, MultipliesCodesThatOtherBackendsDecode) {
  const auto cpu = make_cpu_backend();
  const TrainingStep cpu_step({kSmallProblem}, Recipe::fp8, *cpu);
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
  const TrainingStep step({kSmallProblem}, Recipe::fp8, device);
  EXPECT_EQ(step.verify(20, 9).size(), kPasses.size());
}

}  // namespace
}  // namespace mansard::kernels
