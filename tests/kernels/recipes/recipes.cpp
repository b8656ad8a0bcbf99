// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <tuple>

#include <gtest/gtest.h>

#include "kernels/recipes/training_step.h"
#include "kernels/recipes/workloads.h"
#include "tests/kernels/recipes/layer_results.h"
#include "tests/kernels/recipes/small_problem.h"

namespace mansard::kernels {
namespace {

class RecipeOnCpu : public testing::TestWithParam<Recipe> {};

TEST_P(RecipeOnCpu, EveryPassMatchesFp64OfItsOperands) {
  const auto backend = make_cpu_backend();
  const TrainingStep step({kSmallProblem}, GetParam(), *backend, 2);
  EXPECT_EQ(step.verify(500, 9), std::vector<std::string>{});
}

TEST_P(RecipeOnCpu, EveryOperationIsAnnotatedWithItsWork) {
  const auto backend = make_cpu_backend();
  const TrainingStep step({kSmallProblem}, GetParam(), *backend);
  const LinearLayer& layer = step.layers().front();
  const double gemm_flop = 2.0 * 160 * 96 * 224;
  for (const Pass pass : kPasses) {
    const PassPlan& plan = layer.plan(pass);
    EXPECT_EQ(plan.flop(), gemm_flop);
    for (const Operation& operation : plan.operations) {
      const auto parsed = parse_work_annotation(operation.annotation);
      ASSERT_TRUE(parsed) << operation.annotation;
      EXPECT_EQ(parsed->unknown_keys, 0) << operation.annotation;
      EXPECT_EQ(parsed->flop, operation.work.flop);
      EXPECT_GT(parsed->bytes.at(MemoryLevel::dram), 0);
      EXPECT_FALSE(parsed->operation_class.empty());
    }
    EXPECT_EQ(plan.operations.back().work.operation_class, "gemm");
  }
}

INSTANTIATE_TEST_SUITE_P(Recipes, RecipeOnCpu, testing::ValuesIn(kRecipes),
                         [](const auto& test) { return std::string(to_string(test.param)); });

// FP4 keeps one mantissa bit: a product of two quantized operands of random data has an error of
// about 13 % (uniform error of half a step in each). A wrong scale, transpose or sign gives 100 %.
TEST(Nvfp4Recipe, ApproximatesBf16InEveryPass) {
  for (const Pass pass : kPasses) {
    const double relative = relative_error(layer_result(kSmallProblem, Recipe::nvfp4, pass),
                                           layer_result(kSmallProblem, Recipe::bf16, pass));
    EXPECT_LT(relative, 0.2) << to_string(pass);
    EXPECT_GT(relative, 0.02) << to_string(pass) << ": nothing was quantized";
  }
}

TEST(LayerVerification, DetectsAWrongResult) {
  const auto backend = make_cpu_backend();
  const TrainingStep step({kSmallProblem}, Recipe::bf16, *backend);
  const LinearLayer& layer = step.layers().front();
  // With a NaN in every row of x no element of y is finite.
  auto* x = static_cast<Bf16*>(const_cast<void*>(layer.plan(Pass::fprop).gemm.a.data));
  for (std::int64_t row = 0; row < 160; ++row) x[row * 96] = {bf16::kNan};
  EXPECT_NE(layer.verify(Pass::fprop, MicroBatch::first, 10, 1), "");
}

TEST(LayerShapes, MustBeMultiplesOf16) {
  const auto backend = make_cpu_backend();
  LinearProblem problem = kSmallProblem;
  problem.tokens = 100;
  EXPECT_THROW(TrainingStep({problem}, Recipe::bf16, *backend), std::invalid_argument);
}

TEST(TrainingSteps, RunForwardThenBackwardAndAddUp) {
  const auto backend = make_cpu_backend();
  LinearProblem second = kSmallProblem;
  second.name = "second";
  TrainingStep step({kSmallProblem, second}, Recipe::nvfp4, *backend);
  const StepTime time = step.run("step 0");
  ASSERT_EQ(time.passes.size(), 6u);
  EXPECT_EQ(time.passes[0].layer, 0u);
  EXPECT_EQ(time.passes[2].layer, 1u);
  EXPECT_EQ(time.passes[2].pass, Pass::dgrad);
  EXPECT_EQ(time.passes[5].pass, Pass::wgrad);
  EXPECT_EQ(time.passes[5].layer, 0u);
  double sum_s = 0;
  for (const PassTime& pass : time.passes) sum_s += pass.time_s;
  EXPECT_NEAR(sum_s, time.time_s, 1e-6);
  EXPECT_TRUE(step.verify(20, 3).empty());
}

// NVFP4 rounds gradients stochastically: every step that quantizes dy yields a different dx.
TEST(TrainingSteps, ReuseOperandsOfTheLastStep) {
  const auto backend = make_cpu_backend();
  TrainingStep step({kSmallProblem}, Recipe::nvfp4, *backend);
  const auto dx_of_a_step = [&] {
    step.run("step");
    return result_values(step.layers().front().plan(Pass::dgrad).gemm, *backend);
  };
  const std::vector<double> first = dx_of_a_step();
  const std::vector<double> second = dx_of_a_step();
  EXPECT_NE(first, second);
  step.reuse_quantized();
  EXPECT_EQ(dx_of_a_step(), second);
}

// Published parameter counts, and FLOP counts derived from the sizes of the layers ("The Llama 3
// Herd of Models", arXiv 2407.21783; 6 FLOP per weight, causal attention).
TEST(Workloads, MatchThePublishedModels) {
  struct Expected {
    const char* name;
    double parameters, flop_per_token;
  };
  for (const Expected& e :
       {Expected{"llama3-8b", 8.03e9, 51.47e9}, Expected{"llama3-70b", 70.55e9, 449.2e9},
        Expected{"llama3-405b", 405.85e9, 2524.0e9}, Expected{"llama2-7b", 6.74e9, 46.09e9},
        Expected{"llama2-13b", 13.02e9, 87.19e9}, Expected{"llama2-70b", 68.98e9, 444.5e9},
        Expected{"nemotron-nano-8b", 8.03e9, 51.47e9},
        Expected{"nemotron-super-49b", 49.87e9, 312.6e9},
        Expected{"nemotron-ultra-253b", 253.40e9, 1559.3e9}}) {
    const TransformerModel* model = find_transformer_model(e.name);
    ASSERT_NE(model, nullptr);
    EXPECT_NEAR(model->parameters() / e.parameters, 1, 1e-3) << e.name;
    EXPECT_NEAR(model->training_flop_per_token(8192) / e.flop_per_token, 1, 1e-3) << e.name;
  }
  const std::vector<LinearShape> layers = find_transformer_model("llama3-8b")->linear_layers();
  ASSERT_EQ(layers.size(), 4u);
  EXPECT_EQ(layers[0].out_features, 6144);
  EXPECT_EQ(layers[2].out_features, 28672);
  EXPECT_EQ(layers[3].in_features, 14336);
  EXPECT_EQ(find_transformer_model("llama4"), nullptr);
}

// Every parameter of OpenAI's published weights.
TEST(Workloads, CountTheParametersOfGpt2) {
  const TransformerModel* model = find_transformer_model("gpt2-124m");
  ASSERT_NE(model, nullptr);
  EXPECT_EQ(model->parameters(), 124439808);
  EXPECT_EQ(model->linear_layers()[2].name, "up");
  EXPECT_EQ(model->linear_layers()[2].out_features, 3072);
}

// Ultra has 162 blocks, 81 of them with work; removed blocks are still counted.
TEST(Workloads, CountRemovedBlocks) {
  for (const auto& [name, places, with_work] :
       {std::tuple("nemotron-ultra-253b", 162, 81), std::tuple("nemotron-super-49b", 80, 80),
        std::tuple("llama3-405b", 126, 126)}) {
    std::int64_t all = 0;
    std::int64_t working = 0;
    for (const TransformerBlocks& b : find_transformer_model(name)->blocks) {
      all += b.count;
      if (b.attention || b.ffn > 0) working += b.count;
    }
    EXPECT_EQ(all, places) << name;
    EXPECT_EQ(working, with_work) << name;
  }
}

TEST(Workloads, NameEachWidthOfASearchedModelOnce) {
  const TransformerModel* model = find_transformer_model("nemotron-super-49b");
  std::int64_t attention = 0;
  std::int64_t ffn = 0;
  std::vector<std::string> names;
  for (const LinearShape& layer : model->linear_layers()) {
    EXPECT_EQ(std::count(names.begin(), names.end(), layer.name), 0) << layer.name;
    names.push_back(layer.name);
    if (layer.name == "qkv") attention = layer.count;
    if (layer.name.starts_with("down_")) ffn += layer.count;
    if (layer.name == "down_28672") {
      EXPECT_EQ(layer.count, 49);
    }
  }
  EXPECT_EQ(attention, 49);
  EXPECT_EQ(ffn, 80);
}

}  // namespace
}  // namespace mansard::kernels
