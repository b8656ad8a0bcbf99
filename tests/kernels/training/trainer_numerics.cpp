// SPDX-License-Identifier: Apache-2.0
// Measuring operands in training: which steps and tensors, and that it changes nothing.
#include <gtest/gtest.h>

#include "tests/kernels/training/measured_run.h"

namespace mansard::kernels {
namespace {

class TrainerNumerics : public NumericsOfTraining, public testing::WithParamInterface<Recipe> {};

TEST_P(TrainerNumerics, ChangeNothing) { expect_same_training(options(GetParam())); }

TEST_P(TrainerNumerics, ChangeNothingWithMicroBatchesAndRecomputation) {
  TrainingOptions o = options(GetParam());
  o.transformer.micro_batches = 2;
  o.transformer.recompute = true;
  expect_same_training(o);
}

TEST_P(TrainerNumerics, EveryOperandOfEveryLayer) {
  TrainingOptions o = options(GetParam());
  o.numerics_every = 4;
  o.phases[0].plan.bf16_last_blocks = 1;
  const MeasuredRun result = run(o);
  for (const std::size_t step : {0u, 4u, 5u}) {
    const std::vector<TensorNumerics>& all = result.numerics[step];
    // attention and mlp of block 0, mlp of block 1; two layers each with three GEMMs.
    ASSERT_EQ(all.size(), 36u);
    EXPECT_EQ(all.front().layer, "layers.0.attention.in");
    EXPECT_EQ(all.back().layer, "layers.1.mlp.out");
    for (const TensorNumerics& n : all) {
      SCOPED_TRACE(n.layer + " " + n.tensor + " " + n.gemm);
      EXPECT_EQ(n.step, static_cast<std::int64_t>(step));
      EXPECT_GT(n.rms, 0);
      EXPECT_GE(n.amax, n.rms);
      const bool kept = n.layer.starts_with("layers.1.") || GetParam() == Recipe::bf16;
      const bool mor = GetParam() == Recipe::mor_tensor || GetParam() == Recipe::mor_block;
      EXPECT_EQ(n.format == Precision::bf16, kept);
      EXPECT_EQ(n.underflow.has_value(), !kept);
      ASSERT_EQ(n.shares.has_value(), mor && !kept);
      if (n.shares) {
        EXPECT_DOUBLE_EQ((*n.shares)[0] + (*n.shares)[1] + (*n.shares)[2], 1);
      }
      if (kept) {
        EXPECT_EQ(n.snr_db, std::nullopt);
      }
      if (!kept && n.snr_db) {
        EXPECT_GT(*n.snr_db, 5);
        EXPECT_LT(*n.snr_db, 60);
      }
    }
    // Elements of x and dy are those of one micro-batch, 64 tokens.
    EXPECT_EQ(all[0].elements, 64 * 32);
    EXPECT_EQ(all[1].elements, 96 * 32);
    EXPECT_EQ(all[2].elements, 64 * 96);
  }
}

INSTANTIATE_TEST_SUITE_P(All, TrainerNumerics, testing::ValuesIn(kRecipes),
                         [](const auto& i) { return std::string(to_string(i.param)); });

TEST_F(NumericsOfTraining, FollowThePhases) {
  TrainingOptions o = options(Recipe::fp8);
  o.phases.push_back({2, {Recipe::nvfp4, 0, 0, {}}});
  o.numerics_every = 1;
  const MeasuredRun result = run(o);
  EXPECT_EQ(result.numerics[1].front().format, Precision::fp8_e4m3);
  EXPECT_EQ(result.numerics[2].front().format, Precision::nvfp4);
  o.numerics_every = 0;
  EXPECT_TRUE(run(o).weights == result.weights);
}

// Delayed scaling starts with a scale of 1, which is too small for gradients.
TEST_F(NumericsOfTraining, ShowTheFirstStepOfDelayedScaling) {
  TrainingOptions o = options(Recipe::fp8_delayed);
  o.numerics_every = 1;
  const MeasuredRun result = run(o);
  const auto underflow_of_dy = [&](std::size_t step) {
    double sum = 0;
    for (const TensorNumerics& n : result.numerics[step]) {
      if (n.tensor == "dy") sum += n.underflow.value_or(0);
    }
    return sum;
  };
  EXPECT_GT(underflow_of_dy(0), 2 * underflow_of_dy(1));
}

}  // namespace
}  // namespace mansard::kernels
