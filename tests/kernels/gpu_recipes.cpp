// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include <gtest/gtest.h>

#include "kernels/recipes/training_step.h"
#include "tests/kernels/gemm_operand_values.h"

namespace mansard {
namespace {

const LinearProblem kProblem = {"small", 272, 192, 320, DataPattern::random_normal, 5};

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), 4 * a.size()) == 0;
}

// Runs a training step of `recipe` on `gpu` and on the host.
void expect_operands_of_the_host(Recipe recipe, Backend& gpu) {
  const auto cpu = make_cpu_backend();
  const LinearLayer on_gpu(kProblem, recipe, gpu);
  const LinearLayer on_cpu(kProblem, recipe, *cpu);
  for (const Pass pass : kPasses) {
    SCOPED_TRACE(std::string(to_string(pass)));
    on_gpu.run(pass);
    on_cpu.run(pass);
    const GemmProblem& g = on_gpu.plan(pass).gemm;
    const GemmProblem& c = on_cpu.plan(pass).gemm;
    EXPECT_TRUE(
        same_bits(operand_values(g.a, g.m * g.k, gpu), operand_values(c.a, c.m * c.k, *cpu)));
    EXPECT_TRUE(
        same_bits(operand_values(g.b, g.n * g.k, gpu), operand_values(c.b, c.n * c.k, *cpu)));
    EXPECT_TRUE(same_bits({operand_factor(g, gpu)}, {operand_factor(c, *cpu)}));
  }
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
  expect_operands_of_the_host(GetParam(), *gpu);
}

TEST_P(RecipeOnGpu, AStepTakesTimeOnTheDevice) {
  const auto backend = make_cuda_backend(cuda_devices().front());
  TrainingStep step({kProblem, kProblem}, GetParam(), *backend);
  const StepTime time = step.run("step 0");
  ASSERT_EQ(time.passes.size(), 6u);
  for (const PassTime& pass : time.passes) EXPECT_GT(pass.time_s, 0);
  EXPECT_TRUE(step.verify(20, 3).empty());
}

INSTANTIATE_TEST_SUITE_P(Recipes, RecipeOnGpu, testing::ValuesIn(kRecipes),
                         [](const auto& test) { return std::string(to_string(test.param)); });

TEST(Fp8RecipeOnGpu, HasItsGemmsOnFp8TensorCoresWhereThereAreAny) {
  const DeviceInfo device = cuda_devices().front();
  const auto backend = make_cuda_backend(device);
  const LinearLayer layer(kProblem, Recipe::fp8, *backend);
  const bool fp8 = device.compute_capability >= 89;
  for (const Pass pass : kPasses) {
    EXPECT_EQ(layer.plan(pass).operations.back().work.precision,
              fp8 ? Precision::fp8_e4m3 : Precision::bf16);
    EXPECT_EQ(layer.plan(pass).gemm.a.is_fp8(), fp8);
  }
}

// Every GPU that runs recipes can do what those without FP8 tensor cores do.
TEST(Fp8RecipeOnGpu, WorksWithoutFp8TensorCores) {
  DeviceInfo device = cuda_devices().front();
  device.compute_capability = 80;
  const auto backend = make_cuda_backend(device);
  expect_operands_of_the_host(Recipe::fp8, *backend);
  const LinearLayer layer(kProblem, Recipe::fp8, *backend);
  for (const Pass pass : kPasses) {
    EXPECT_EQ(layer.verify(pass, 500, 9), "");
    EXPECT_EQ(layer.plan(pass).operations.back().work.precision, Precision::bf16);
  }
}

}  // namespace
}  // namespace mansard
