// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <cstring>
#include <numeric>

#include <gtest/gtest.h>

#include "kernels/recipes/training_step.h"
#include "tests/kernels/recipes/gemm_operand_values.h"
#include "tests/kernels/recipes/layer_results.h"
#include "tests/kernels/recipes/nvfp4_options.h"

namespace mansard::kernels {
namespace {

const LinearProblem kProblem = {"small", 272, 192, 320, DataPattern::random_normal, 5};

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), 8 * a.size()) == 0;
}

// Runs a training step of `recipe` on `gpu` and on the host.
void expect_operands_of_the_host(Recipe recipe, Backend& gpu, const RecipeOptions& options = {}) {
  const auto cpu = make_cpu_backend();
  const TrainingStep gpu_step({kProblem}, recipe, gpu, 1, options);
  const TrainingStep cpu_step({kProblem}, recipe, *cpu, 1, options);
  const LinearLayer& on_gpu = gpu_step.layers().front();
  const LinearLayer& on_cpu = cpu_step.layers().front();
  for (const Pass pass : kPasses) {
    SCOPED_TRACE(std::string(to_string(pass)));
    on_gpu.run(pass);
    on_cpu.run(pass);
    const GemmProblem& g = on_gpu.plan(pass).gemm;
    const GemmProblem& c = on_cpu.plan(pass).gemm;
    EXPECT_TRUE(same_bits(operand_values(g.a, g.m, g.k, gpu), operand_values(c.a, c.m, c.k, *cpu)));
    EXPECT_TRUE(same_bits(operand_values(g.b, g.n, g.k, gpu), operand_values(c.b, c.n, c.k, *cpu)));
    EXPECT_TRUE(same_bits({read_gemm_factor(g, gpu)}, {read_gemm_factor(c, *cpu)}));
  }
}

class RecipeOnGpu : public testing::TestWithParam<Recipe> {};

TEST_P(RecipeOnGpu, EveryPassMatchesFp64OfItsOperands) {
  const auto backend = make_cuda_backend(cuda_devices().front());
  const TrainingStep step({kProblem}, GetParam(), *backend, 2);
  EXPECT_EQ(step.verify(500, 9), std::vector<std::string>{});
}

// Large enough to be measured; the same problem occurs in two layers.
TEST_P(RecipeOnGpu, MeasuredGemmsMatchFp64OfTheirOperands) {
  const auto backend = make_cuda_backend(cuda_devices().front());
  backend->measure_gemms(true);
  const LinearProblem large = {"large", 2048, 1024, 1536, DataPattern::random_normal, 5};
  const TrainingStep step({large, large}, GetParam(), *backend, 2);
  EXPECT_EQ(step.verify(100, 9), std::vector<std::string>{});
}

// Euclidean norm over the first 64x64 elements.
double error_against_fp64(const GemmProblem& p, Backend& backend) {
  constexpr std::int64_t kCorner = 64;
  const double factor = double{read_gemm_factor(p, backend)};
  const std::vector<double> result = result_values(p, backend);
  std::vector<double> actual, exact;
  std::vector<std::vector<double>> columns;
  for (std::int64_t n = 0; n < kCorner; ++n) {
    columns.push_back(read_operand_row(p.b, p.n, p.k, n, backend));
  }
  for (std::int64_t m = 0; m < kCorner; ++m) {
    const std::vector<double> row = read_operand_row(p.a, p.m, p.k, m, backend);
    for (std::int64_t n = 0; n < kCorner; ++n) {
      const std::vector<double>& column = columns[static_cast<std::size_t>(n)];
      exact.push_back(factor * std::inner_product(row.begin(), row.end(), column.begin(), 0.0));
      actual.push_back(result[static_cast<std::size_t>(m * p.n + n)]);
    }
  }
  return relative_error(actual, exact);
}

// FP8 tensor cores of compute capability 9.0 keep 13 fraction bits of a sum.
TEST_P(RecipeOnGpu, ErrorsAt4096MatchTheFormats) {
  const auto backend = make_cuda_backend(cuda_devices().front());
  const LinearProblem problem = {"k4096", 4096, 4096, 4096, DataPattern::random_normal, 11};
  const TrainingStep step({problem}, GetParam(), *backend);
  const LinearLayer& layer = step.layers().front();
  for (const Pass pass : kPasses) {
    layer.run(pass);
    const GemmProblem& gemm = layer.plan(pass).gemm;
    const double error = error_against_fp64(gemm, *backend);
    const bool codes = gemm.a.format != Precision::bf16;
    const double accumulation = codes ? 5e-4 : 1e-5;
    const double bound = gemm.output == GemmOutput::fp32 ? accumulation : codes ? 3e-3 : 2e-3;
    EXPECT_LE(error, bound) << to_string(pass);
    RecordProperty(std::string(to_string(pass)), std::to_string(error));
    std::printf("  %s: relative error %.2e\n", std::string(to_string(pass)).c_str(), error);
  }
}

// Together with the test above, this shows that the whole recipe on the GPU matches the reference.
TEST_P(RecipeOnGpu, GemmOperandsAndFactorMatchTheHostBitForBit) {
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

// y, dx and dW of every layer in turn.
std::vector<double> all_results(const TrainingStep& step, Backend& backend) {
  std::vector<double> all;
  for (const LinearLayer& layer : step.layers()) {
    for (const Pass pass : kPasses) {
      const std::vector<double> of_pass = result_values(layer.plan(pass).gemm, backend);
      all.insert(all.end(), of_pass.begin(), of_pass.end());
    }
  }
  return all;
}

// After the same number of steps. Random numbers are counted on the device, so they are equal too.
TEST_P(RecipeOnGpu, GraphMatchesTheStepsBitForBit) {
  const auto backend = make_cuda_backend(cuda_devices().front());
  TrainingStep plain({kProblem, kProblem}, GetParam(), *backend, 2);
  TrainingStep graph({kProblem, kProblem}, GetParam(), *backend, 2);
  for (int i = 0; i < 3; ++i) plain.run("step");
  graph.record();
  for (int i = 0; i < 2; ++i) graph.run("step");
  EXPECT_TRUE(same_bits(all_results(plain, *backend), all_results(graph, *backend)));
}

TEST_P(RecipeOnGpu, GraphTimesItsPasses) {
  const auto backend = make_cuda_backend(cuda_devices().front());
  TrainingStep step({kProblem}, GetParam(), *backend, 2);
  step.record();
  for (int i = 0; i < 3; ++i) {
    const StepTime time = step.run("step");
    double sum_s = 0;
    for (const PassTime& pass : time.passes) {
      EXPECT_GT(pass.time_s, 0);
      sum_s += pass.time_s;
    }
    EXPECT_NEAR(sum_s, time.time_s, 1e-5);
  }
}

class Nvfp4OptionsOnGpu : public testing::TestWithParam<RecipeOptions> {};

TEST_P(Nvfp4OptionsOnGpu, GemmOperandsAndFactorMatchTheHostBitForBit) {
  const auto gpu = make_cuda_backend(cuda_devices().front());
  expect_operands_of_the_host(Recipe::nvfp4, *gpu, GetParam());
}

TEST_P(Nvfp4OptionsOnGpu, EveryPassMatchesFp64OfItsOperands) {
  const auto gpu = make_cuda_backend(cuda_devices().front());
  const TrainingStep step({kProblem}, Recipe::nvfp4, *gpu, 2, GetParam());
  EXPECT_EQ(step.verify(200, 9), std::vector<std::string>{});
}

INSTANTIATE_TEST_SUITE_P(All, Nvfp4OptionsOnGpu, testing::ValuesIn(nvfp4_options()),
                         [](const auto& test) { return to_string(test.param); });

TEST(Nvfp4RecipeOnGpu, DrawsNewRandomNumbersInEachReplay) {
  const auto backend = make_cuda_backend(cuda_devices().front());
  TrainingStep step({kProblem}, Recipe::nvfp4, *backend);
  step.record();
  const GemmProblem& wgrad = step.layers().front().plan(Pass::wgrad).gemm;
  step.run("step 0");
  const std::vector<double> first = result_values(wgrad, *backend);
  step.run("step 1");
  EXPECT_FALSE(same_bits(first, result_values(wgrad, *backend)));
}

// The history on the device matches the host's. The host's factor is that of the last pass, wgrad,
// with the scales of x and dy; y depends on the scale of W.
TEST(Fp8DelayedRecipeOnGpu, ScalesMatchTheHostInEveryStep) {
  const auto gpu = make_cuda_backend(cuda_devices().front());
  const auto cpu = make_cpu_backend();
  TrainingStep gpu_step({kProblem}, Recipe::fp8_delayed, *gpu, 2);
  TrainingStep cpu_step({kProblem}, Recipe::fp8_delayed, *cpu, 2);
  const auto plan = [](const TrainingStep& step, Pass pass) {
    return step.layers().front().plan(pass).gemm;
  };
  for (int i = 0; i < 3; ++i) {
    gpu_step.run("step");
    cpu_step.run("step");
    EXPECT_EQ(read_gemm_factor(plan(gpu_step, Pass::wgrad), *gpu),
              read_gemm_factor(plan(cpu_step, Pass::wgrad), *cpu))
        << "step " << i;
    EXPECT_LT(relative_error(result_values(plan(gpu_step, Pass::fprop), *gpu),
                             result_values(plan(cpu_step, Pass::fprop), *cpu)),
              2e-3)
        << "step " << i;
  }
}

TEST(RecipesOnGpu, MultiplyCodesIfTensorCoresSupportThem) {
  const DeviceInfo device = cuda_devices().front();
  const auto backend = make_cuda_backend(device);
  const int capability = device.compute_capability;
  struct Expected {
    Recipe recipe;
    bool native;
    Precision precision;
  };
  const LinearProblem multiple_of_32 = {"small", 288, 192, 320, DataPattern::random_normal, 5};
  for (const Expected& e : {Expected{Recipe::fp8_delayed, capability >= 89, Precision::fp8_e4m3},
                            Expected{Recipe::fp8_block, capability == 90, Precision::fp8_e4m3},
                            Expected{Recipe::mxfp8, capability >= 100, Precision::mxfp8},
                            Expected{Recipe::nvfp4, capability >= 100, Precision::nvfp4}}) {
    SCOPED_TRACE(std::string(to_string(e.recipe)));
    const TrainingStep step({multiple_of_32}, e.recipe, *backend, 2);
    EXPECT_EQ(step.verify(200, 9), std::vector<std::string>{});
    for (const Pass pass : kPasses) {
      const PassPlan& plan = step.layers().front().plan(pass);
      EXPECT_EQ(plan.gemm.a.is_quantized(), e.native);
      EXPECT_EQ(plan.operations.back().work.precision, e.native ? e.precision : Precision::bf16);
    }
  }
}

TEST(Fp8RecipeOnGpu, UsesFp8TensorCoresIfAvailable) {
  const DeviceInfo device = cuda_devices().front();
  const auto backend = make_cuda_backend(device);
  const TrainingStep step({kProblem}, Recipe::fp8, *backend);
  const LinearLayer& layer = step.layers().front();
  const bool fp8 = device.compute_capability >= 89;
  for (const Pass pass : kPasses) {
    EXPECT_EQ(layer.plan(pass).operations.back().work.precision,
              fp8 ? Precision::fp8_e4m3 : Precision::bf16);
    EXPECT_EQ(layer.plan(pass).gemm.a.is_quantized(), fp8);
  }
}

// Every GPU that runs recipes must support the path for GPUs without FP8 tensor cores.
TEST_P(RecipeOnGpu, WorksWithoutTensorCoresForItsFormat) {
  DeviceInfo device = cuda_devices().front();
  device.compute_capability = 80;
  const auto backend = make_cuda_backend(device);
  expect_operands_of_the_host(GetParam(), *backend);
  const TrainingStep step({kProblem}, GetParam(), *backend, 2);
  EXPECT_EQ(step.verify(500, 9), std::vector<std::string>{});
  for (const Pass pass : kPasses) {
    EXPECT_EQ(step.layers().front().plan(pass).operations.back().work.precision, Precision::bf16);
  }
}

INSTANTIATE_TEST_SUITE_P(Recipes, RecipeOnGpu, testing::ValuesIn(kRecipes),
                         [](const auto& test) { return std::string(to_string(test.param)); });

}  // namespace
}  // namespace mansard::kernels
