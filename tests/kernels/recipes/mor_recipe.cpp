// SPDX-License-Identifier: Apache-2.0
// Operands are compared with the reference functions of kernels/mor bit for bit.
#include <gtest/gtest.h>

#include "kernels/formats/random_input.h"
#include "kernels/mor/reference.h"
#include "kernels/nvfp4/reference.h"
#include "tests/kernels/recipes/layer_results.h"
#include "tests/kernels/recipes/small_problem.h"

namespace mansard::kernels {
namespace {

// Two blocks along the tokens and along the outputs.

class MorRecipe : public testing::TestWithParam<Recipe> {
 protected:
  static bool whole() { return GetParam() == Recipe::mor_tensor; }

  // The values of a tensor of a TrainingStep; `transposed`: of its transpose.
  static std::vector<double> values(Shape shape, std::uint64_t stream, int exponent,
                                    float threshold, bool transposed = false) {
    std::vector<Bf16> x(static_cast<std::size_t>(shape.elements())), out(x.size());
    fill_random(x.data(), shape.elements(), kSmallProblem.pattern, 3 * kSmallProblem.seed + stream,
                exponent);
    const float amax = nvfp4::reference::amax(x.data(), shape);
    mor::Counts counts;
    if (whole()) {
      mor::TensorChoice choice;
      mor::reference::choose(x.data(), shape, amax, threshold, &counts, &choice);
      mor::reference::quantize_tensor(x.data(), shape, amax, choice, out.data());
    } else {
      mor::reference::quantize_blocks(x.data(), shape, amax, threshold, &counts, out.data());
    }
    std::vector<double> result;
    for (std::int64_t i = 0; i < shape.elements(); ++i) {
      const std::int64_t from = transposed ? i % shape.rows * shape.cols + i / shape.rows : i;
      result.push_back(double{bf16::to_float(out[static_cast<std::size_t>(from)])});
    }
    return result;
  }

  static std::vector<double> result(Pass pass, Recipe recipe, float threshold) {
    const auto backend = make_cpu_backend();
    RecipeOptions options;
    options.mor_threshold = threshold;
    TrainingStep step({kSmallProblem}, recipe, *backend, 1, options);
    step.run("step");
    return result_values(step.layers().front().plan(pass).gemm, *backend);
  }
};

mor::Counts read_counts(const RepresentationCounts& choices, Backend& backend) {
  mor::Counts counts;
  backend.read(&counts, choices.counts.as<mor::Counts>(), sizeof counts);
  return counts;
}

// 0.0226 is between the errors of the tensors' blocks, so that some stay in BF16.
TEST_P(MorRecipe, QuantizesAsTheReferenceBitForBit) {
  for (const float threshold : {0.0f, 0.0226f, 0.05f}) {
    const auto backend = make_cpu_backend();
    RecipeOptions options;
    options.mor_threshold = threshold;
    const TrainingStep step({kSmallProblem}, GetParam(), *backend, 1, options);
    const LinearLayer& layer = step.layers().front();
    const auto expect = [&](Pass pass, const std::vector<double>& a, const std::vector<double>& b) {
      layer.run(pass);
      const GemmProblem& p = layer.plan(pass).gemm;
      EXPECT_EQ(operand_values(p.a, p.m, p.k, *backend), a);
      EXPECT_EQ(operand_values(p.b, p.n, p.k, *backend), b);
      EXPECT_EQ(read_gemm_factor(p, *backend), 1.0f);
    };
    expect(Pass::fprop, values(kSmallX, 0, 0, threshold), values(kSmallW, 1, -6, threshold));
    expect(Pass::dgrad, values(kSmallDy, 2, -10, threshold),
           values(kSmallW, 1, -6, threshold, true));
    expect(Pass::wgrad, values(kSmallDy, 2, -10, threshold, true),
           values(kSmallX, 0, 0, threshold, true));
  }
}

TEST_P(MorRecipe, AThresholdOfZeroGivesBf16BitForBit) {
  for (const Pass pass : kPasses) {
    EXPECT_EQ(result(pass, GetParam(), 0.0f), layer_result(kSmallProblem, Recipe::bf16, pass));
  }
}

// All operands are E4M3: see the test of the FP8 recipe.
TEST_P(MorRecipe, ApproximatesBf16AsWellAsE4m3Allows) {
  for (const Pass pass : kPasses) {
    const double relative = relative_error(layer_result(kSmallProblem, GetParam(), pass),
                                           layer_result(kSmallProblem, Recipe::bf16, pass));
    EXPECT_NEAR(relative, 0.037, 0.15 * 0.037) << to_string(pass);
  }
}

// x and dy are quantized in every micro-batch, W once per step.
TEST_P(MorRecipe, CountsItsChoicesUntilTheyAreReset) {
  const auto backend = make_cpu_backend();
  TrainingStep step({kSmallProblem}, GetParam(), *backend, 3);
  const std::vector<RepresentationCounts> choices = step.layers().front().choices();
  ASSERT_EQ(choices.size(), 3u);
  struct Expected {
    std::string tensor;
    Shape shape;
    std::uint64_t blocks, times;
  };
  const std::vector<Expected> expected = {{"x", kSmallX, whole() ? 1u : 2u, 3},
                                          {"W", kSmallW, whole() ? 1u : 2u, 1},
                                          {"dy", kSmallDy, whole() ? 1u : 4u, 3}};
  for (std::uint64_t steps = 1; steps <= 2; ++steps) {
    step.run("step");
    for (std::size_t i = 0; i < 3; ++i) {
      const mor::Counts counts = read_counts(choices[i], *backend);
      EXPECT_EQ(choices[i].tensor, expected[i].tensor);
      EXPECT_EQ(counts.blocks[0], steps * expected[i].times * expected[i].blocks);
      EXPECT_EQ(counts.elements[0], steps * expected[i].times *
                                        static_cast<std::uint64_t>(expected[i].shape.elements()));
      EXPECT_EQ(counts.blocks[1] + counts.blocks[2], 0u);
    }
  }
  const mor::Counts zero;
  for (const RepresentationCounts& c : choices) {
    backend->write(c.counts.as<mor::Counts>(), &zero, sizeof zero);
  }
  step.run("step");
  EXPECT_EQ(read_counts(choices[0], *backend).blocks[0], 3 * expected[0].blocks);
}

TEST_P(MorRecipe, NamesItsOperationsAndCountsTheirBytes) {
  const auto backend = make_cpu_backend();
  const TrainingStep step({kSmallProblem}, GetParam(), *backend);
  struct Expected {
    std::string name;
    std::int64_t bytes;
  };
  const auto of = [](const std::string& name, Shape s) -> std::vector<Expected> {
    const std::int64_t x = 2 * s.elements();
    if (!whole()) {
      return {{"amax " + name, x + 4}, {"choose formats and quantize " + name, 2 * x + 4 + 96}};
    }
    return {{"amax " + name, x + 4},
            {"choose the format of " + name, x + 4 + 96 + 64},
            {"quantize " + name, 2 * x + 4 + 4}};
  };
  std::vector<Expected> expected = of("x", kSmallX);
  for (const Expected& e : of("W", kSmallW)) expected.push_back(e);
  const std::vector<Operation>& operations = step.layers().front().plan(Pass::fprop).operations;
  ASSERT_EQ(operations.size(), expected.size() + 1);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(operations[i].work.name, expected[i].name);
    EXPECT_EQ(operations[i].work.bytes.at(MemoryLevel::dram),
              static_cast<double>(expected[i].bytes));
    EXPECT_TRUE(quantizes(operations[i]));
  }
  EXPECT_EQ(step.layers().front().plan(Pass::wgrad).operations.size(), 1u) << "nothing to quantize";
}

TEST_P(MorRecipe, RefusesANegativeThreshold) {
  const auto backend = make_cpu_backend();
  RecipeOptions options;
  options.mor_threshold = -0.01f;
  EXPECT_THROW(TrainingStep({kSmallProblem}, GetParam(), *backend, 1, options),
               std::invalid_argument);
  options.mor_threshold = NAN;
  EXPECT_THROW(TrainingStep({kSmallProblem}, GetParam(), *backend, 1, options),
               std::invalid_argument);
}

INSTANTIATE_TEST_SUITE_P(Modes, MorRecipe, testing::Values(Recipe::mor_tensor, Recipe::mor_block),
                         [](const auto& test) { return std::string(to_string(test.param)); });

// Other recipes do not choose.
TEST(RepresentationChoices, ExistForMorOnly) {
  for (const Recipe recipe : kRecipes) {
    const auto backend = make_cpu_backend();
    const TrainingStep step({kSmallProblem}, recipe, *backend);
    const bool mor = recipe == Recipe::mor_tensor || recipe == Recipe::mor_block;
    EXPECT_EQ(step.layers().front().choices().empty(), !mor) << to_string(recipe);
  }
}

}  // namespace
}  // namespace mansard::kernels
