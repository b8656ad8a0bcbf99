// SPDX-License-Identifier: Apache-2.0
// The interaction of a step with a backend that records graphs, simulated by the CPU.
#include <gtest/gtest.h>

#include "kernels/recipes/cpu_backend.h"
#include "tests/kernels/recipes/layer_results.h"
#include "tests/kernels/recipes/small_problem.h"

namespace mansard::kernels {
namespace {

// Records by storing the operations. Counts how often the host waited, which must not happen while
// a step is recorded.
class RecordingBackend : public CpuBackend {
 public:
  std::function<void()> record(const std::function<void()>& enqueue) override {
    ++recorded;
    return [this, enqueue] {
      ++replayed;
      const int before = waits_;
      enqueue();
      EXPECT_EQ(waits_, before) << "the host waits within a step";
    };
  }
  void synchronize() override { ++waits_; }
  void read(void* host, const void* source, std::int64_t width_bytes, std::int64_t count,
            std::int64_t pitch_bytes) override {
    ++waits_;
    CpuBackend::read(host, source, width_bytes, count, pitch_bytes);
  }
  void write(void* target, const void* host, std::int64_t bytes) override {
    ++waits_;
    CpuBackend::write(target, host, bytes);
  }

  int recorded = 0;
  int replayed = 0;

 private:
  int waits_ = 0;
};

class RecordedStep : public testing::TestWithParam<Recipe> {};

TEST_P(RecordedStep, IsReplayedAndComputesTheSame) {
  RecordingBackend backend;
  TrainingStep step({kSmallProblem}, GetParam(), backend, 2);
  step.record();
  EXPECT_EQ(backend.recorded, 1);
  EXPECT_EQ(backend.replayed, 0);
  for (int i = 0; i < 2; ++i) step.run("step");
  EXPECT_EQ(backend.recorded, 1);
  EXPECT_EQ(backend.replayed, 2);
  for (const Pass pass : kPasses) {
    EXPECT_EQ(result_values(step.layers().front().plan(pass).gemm, backend),
              layer_result(kSmallProblem, GetParam(), pass, 2, 3));
  }
}

INSTANTIATE_TEST_SUITE_P(Recipes, RecordedStep, testing::ValuesIn(kRecipes),
                         [](const auto& test) { return std::string(to_string(test.param)); });

TEST(StepRecording, IsNotSupportedByTheCpu) {
  CpuBackend backend;
  TrainingStep step({kSmallProblem}, Recipe::bf16, backend);
  EXPECT_THROW(step.record(), std::logic_error);
}

}  // namespace
}  // namespace mansard::kernels
