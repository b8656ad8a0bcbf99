// SPDX-License-Identifier: Apache-2.0
// Steps with several micro-batches: what later ones reuse from the first, and what they accumulate.
#include <gtest/gtest.h>

#include "kernels/recipes/cpu_backend.h"
#include "tests/kernels/recipes/layer_results.h"
#include "tests/kernels/recipes/small_problem.h"

namespace mansard::kernels {
namespace {

class MicroBatches : public testing::TestWithParam<Recipe> {};

std::vector<std::string> names(const PassPlan& plan) {
  std::vector<std::string> all;
  for (const Operation& operation : plan.operations) all.push_back(operation.work.name);
  return all;
}

// Every micro-batch has the same x and dy: the result is three times the gradient of one, within
// the rounding of FP32 and, in NVFP4, that of the gradients, which differs each time.
TEST_P(MicroBatches, AddUpInTheGradientOfTheWeights) {
  std::vector<double> three_times = layer_result(kSmallProblem, GetParam(), Pass::wgrad);
  for (double& value : three_times) value *= 3;
  const std::vector<double> sum = layer_result(kSmallProblem, GetParam(), Pass::wgrad, 3);
  const double relative = relative_error(sum, three_times);
  if (GetParam() == Recipe::nvfp4) {
    EXPECT_LT(relative, 0.2);
    EXPECT_GT(relative, 1e-3) << "the same random numbers in every micro-batch";
  } else {
    EXPECT_LT(relative, 1e-6);
  }
}

TEST_P(MicroBatches, OverwriteTheGradientInEveryStep) {
  const std::vector<double> second = layer_result(kSmallProblem, GetParam(), Pass::wgrad, 2, 2);
  const std::vector<double> third = layer_result(kSmallProblem, GetParam(), Pass::wgrad, 2, 3);
  if (GetParam() == Recipe::nvfp4) {
    EXPECT_LT(relative_error(third, second), 0.2);
  } else {
    EXPECT_EQ(third, second);
  }
}

TEST_P(MicroBatches, QuantizeTheWeightsOncePerStep) {
  const auto backend = make_cpu_backend();
  const TrainingStep step({kSmallProblem}, GetParam(), *backend, 2);
  const LinearLayer& layer = step.layers().front();
  const PassPlan& first = layer.plan(Pass::fprop, MicroBatch::first);
  const PassPlan& later = layer.plan(Pass::fprop, MicroBatch::later);
  const double weight_bytes = 2 * 96 * 224;
  if (GetParam() == Recipe::bf16) {
    EXPECT_EQ(names(first), names(later));
  } else {
    EXPECT_GT(first.bytes() - later.bytes(), weight_bytes) << "W is read once less";
    EXPECT_LT(later.operations.size(), first.operations.size());
  }
  EXPECT_EQ(first.flop(), later.flop());
  std::vector<std::string> dgrad = names(layer.plan(Pass::dgrad, MicroBatch::first));
  if (GetParam() == Recipe::fp8_delayed) {
    EXPECT_EQ(dgrad.front(), "scale of dy");
    dgrad.erase(dgrad.begin());
  }
  EXPECT_EQ(dgrad, names(layer.plan(Pass::dgrad, MicroBatch::later)));
}

TEST_P(MicroBatches, CountReadingTheAccumulatedGradient) {
  const auto backend = make_cpu_backend();
  const TrainingStep step({kSmallProblem}, GetParam(), *backend, 2);
  const LinearLayer& layer = step.layers().front();
  EXPECT_FALSE(layer.plan(Pass::wgrad, MicroBatch::first).gemm.accumulate);
  EXPECT_TRUE(layer.plan(Pass::wgrad, MicroBatch::later).gemm.accumulate);
  EXPECT_EQ(layer.plan(Pass::wgrad, MicroBatch::later).bytes() -
                layer.plan(Pass::wgrad, MicroBatch::first).bytes(),
            4 * 96 * 224);
  for (const Pass pass : {Pass::fprop, Pass::dgrad}) {
    EXPECT_FALSE(layer.plan(pass, MicroBatch::later).gemm.accumulate);
  }
}

INSTANTIATE_TEST_SUITE_P(Recipes, MicroBatches, testing::ValuesIn(kRecipes),
                         [](const auto& test) { return std::string(to_string(test.param)); });

TEST(MicroBatchOrder, RunsForwardThenBackwardForEach) {
  const auto backend = make_cpu_backend();
  TrainingStep step({kSmallProblem, kSmallProblem}, Recipe::bf16, *backend, 2);
  const StepTime time = step.run("step 0");
  ASSERT_EQ(time.passes.size(), 12u);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(time.passes[i].which, MicroBatch::first);
    EXPECT_EQ(time.passes[i + 6].which, MicroBatch::later);
    EXPECT_EQ(time.passes[i].pass, time.passes[i + 6].pass);
    EXPECT_EQ(time.passes[i].layer, time.passes[i + 6].layer);
  }
}

TEST(MicroBatchOrder, RequiresAtLeastOne) {
  const auto backend = make_cpu_backend();
  EXPECT_THROW(TrainingStep({kSmallProblem}, Recipe::bf16, *backend, 0), std::invalid_argument);
  EXPECT_THROW(TrainingStep({}, Recipe::bf16, *backend), std::invalid_argument);
}

// Overwrites instead of accumulating.
class ForgetfulBackend : public CpuBackend {
 public:
  std::function<void()> prepare_gemm(const GemmProblem& problem, void* workspace) override {
    GemmProblem overwriting = problem;
    overwriting.accumulate = false;
    return CpuBackend::prepare_gemm(overwriting, workspace);
  }
};

TEST(LayerVerification, DetectsAGradientThatIsNotAccumulated) {
  ForgetfulBackend backend;
  const TrainingStep step({kSmallProblem}, Recipe::bf16, backend, 2);
  const std::vector<std::string> faults = step.verify(20, 3);
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_NE(faults.front().find("wgrad"), std::string::npos);
}

}  // namespace
}  // namespace mansard::kernels
