// SPDX-License-Identifier: Apache-2.0
// Profiles of `mansard train` (examples/h200/pretraining): 16 steps, a CUDA graph in all but steps
// 0, 8 and 15, which measure numerics.
#include <algorithm>
#include <filesystem>
#include <map>

#include <gtest/gtest.h>

#include "analyzer/explain/ledger.h"
#include "analyzer/range_kinds.h"
#include "analyzer/run_analysis.h"

namespace mansard::analysis {
namespace {

constexpr std::int64_t kSteps = 16;
constexpr std::int64_t kLayers = 4;
constexpr std::int64_t kValidations = 2;  // batches of the validation after the last step

RunAnalysis recorded(const std::string& recipe) {
  return analyze_run(store::load_profile(std::filesystem::path(MANSARD_EXAMPLES) /
                                         "h200/pretraining" / ("train_" + recipe + ".sqlite")),
                     {});
}

class RecordedTraining : public testing::TestWithParam<const char*> {
 protected:
  RunAnalysis run = recorded(GetParam());
};

TEST_P(RecordedTraining, LayersHaveTheirKernelsOfAllSteps) {
  std::map<std::string, RangeKind> kinds;
  for (RangeKind& kind : range_kinds(run).kinds) {
    const std::string name = kind.name;
    kinds.emplace(name, std::move(kind));
  }
  const RangeKind& steps = kinds.at("step #");
  EXPECT_EQ(steps.ranges, kSteps);
  EXPECT_EQ(kinds.at("backward").ranges, kSteps);
  EXPECT_EQ(kinds.at("optimizer").ranges, kSteps);
  EXPECT_EQ(kinds.at("forward").ranges, kSteps + kValidations);
  EXPECT_EQ(kinds.at("layers.#.mlp").ranges, kLayers * (2 * kSteps + kValidations));
  EXPECT_EQ(kinds.at("layers.#.attention").ranges, kLayers * (2 * kSteps + kValidations));
  EXPECT_FALSE(kinds.contains("recording")) << "describes the capture, not its kernels";
  // Nearly all time in steps is in one of their three parts.
  const double in_parts_s = kinds.at("forward").time_s + kinds.at("backward").time_s +
                            kinds.at("optimizer").time_s - kinds.at("validation").time_s;
  EXPECT_NEAR(in_parts_s / steps.time_s, 1, 0.05);
}

TEST_P(RecordedTraining, HasTheNumericsOfEveryOperand) {
  constexpr std::size_t kLinearLayers = 4 * kLayers;
  constexpr std::size_t kOperands = 6;
  constexpr std::size_t kMeasuredSteps = 3;
  EXPECT_EQ(run.profile.tensor_numerics.size(), kLinearLayers * kOperands * kMeasuredSteps);
  EXPECT_EQ(run.profile.training_steps.size(), static_cast<std::size_t>(kSteps));
}

INSTANTIATE_TEST_SUITE_P(Recipes, RecordedTraining, testing::Values("bf16", "fp8", "nvfp4"),
                         [](const auto& recipe) { return std::string(recipe.param); });

TEST(RecordedTrainingGap, Fp8IsFasterAndQuantizationCanBeRemoved) {
  const Ledger ledger = explain_gap(recorded("bf16"), recorded("fp8"));
  EXPECT_NEAR(ledger.speed_up(), 1.35, 0.01);
  EXPECT_NEAR(ledger.residual_s(), 0, 1e-12);
  const auto quantize =
      std::ranges::find(ledger.lines, "quantize", [](const LedgerLine& line) { return line.id; });
  ASSERT_NE(quantize, ledger.lines.end());
  ASSERT_TRUE(quantize->saving_s);
  EXPECT_GT(*quantize->saving_s, 2.8e-3);
  EXPECT_LE(*quantize->saving_s, quantize->time_s);
}

}  // namespace
}  // namespace mansard::analysis
