// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include <gtest/gtest.h>

#include "kernels/recipes/training_step.h"

namespace mansard {
namespace {

const LinearProblem kProblem = {"small", 272, 192, 320, DataPattern::random_normal, 5};

std::vector<Bf16> operand(const GemmOperand& operand, std::int64_t count, Backend& backend) {
  std::vector<Bf16> values(static_cast<std::size_t>(count));
  backend.read(values.data(), operand.data, 2 * count);
  return values;
}

class RecipeOnGpu : public testing::TestWithParam<Recipe> {};

TEST_P(RecipeOnGpu, EveryPassMatchesFp64OfItsOperands) {
  const auto backend = make_cuda_backend(cuda_devices().front());
  const LinearLayer layer(kProblem, GetParam(), *backend);
  for (const Pass pass : kPasses) EXPECT_EQ(layer.verify(pass, 500, 9), "");
}

// With the test above, this makes the whole recipe on the GPU that of the reference.
TEST_P(RecipeOnGpu, GemmOperandsAndFactorAreThoseOfTheHostBitForBit) {
  const auto gpu = make_cuda_backend(cuda_devices().front());
  const auto cpu = make_cpu_backend();
  const LinearLayer on_gpu(kProblem, GetParam(), *gpu);
  const LinearLayer on_cpu(kProblem, GetParam(), *cpu);
  for (const Pass pass : kPasses) {
    SCOPED_TRACE(std::string(to_string(pass)));
    on_gpu.run(pass);
    on_cpu.run(pass);
    const GemmProblem& g = on_gpu.plan(pass).gemm;
    const GemmProblem& c = on_cpu.plan(pass).gemm;
    EXPECT_TRUE(operand(g.a, g.m * g.k, *gpu) == operand(c.a, c.m * c.k, *cpu));
    EXPECT_TRUE(operand(g.b, g.n * g.k, *gpu) == operand(c.b, c.n * c.k, *cpu));
    ASSERT_EQ(g.alpha == nullptr, c.alpha == nullptr);
    if (g.alpha == nullptr) continue;
    float factor = 0;
    gpu->read(&factor, g.alpha, sizeof factor);
    EXPECT_EQ(std::memcmp(&factor, c.alpha, sizeof factor), 0);
  }
}

TEST_P(RecipeOnGpu, AStepTakesTimeOnTheDevice) {
  const auto backend = make_cuda_backend(cuda_devices().front());
  TrainingStep step({kProblem, kProblem}, GetParam(), *backend);
  const StepTime time = step.run("step 0");
  ASSERT_EQ(time.passes.size(), 6u);
  for (const PassTime& pass : time.passes) EXPECT_GT(pass.time_s, 0);
  EXPECT_TRUE(step.verify(20, 3).empty());
}

INSTANTIATE_TEST_SUITE_P(Recipes, RecipeOnGpu, testing::Values(Recipe::bf16, Recipe::nvfp4),
                         [](const auto& test) { return std::string(to_string(test.param)); });

}  // namespace
}  // namespace mansard
