// SPDX-License-Identifier: Apache-2.0
// Predictions against published throughput, all with the same assumptions.
#include "analyzer/predict/published_steps.h"

#include <cmath>
#include <map>

#include <gtest/gtest.h>

namespace mansard {
namespace {

const std::vector<PublishedComparison>& comparisons() {
  static const std::vector<PublishedComparison> all = compare_with_published({});
  return all;
}

// The published rate of model work is tokens/s x FLOP/token: 35093 x 51.47e9 = 1806 TFLOP/s.
TEST(PublishedSteps, CountWorkAsThePublisherDoes) {
  for (const PublishedComparison& c : comparisons()) {
    if (c.published->source != "tutorial" || c.published->job.recipe != Recipe::nvfp4) continue;
    const TrainingJob& job = c.published->job;
    EXPECT_NEAR(c.published->tokens_per_s_per_gpu * job.model.training_flop_per_token(job.sequence),
                1805.6e12, 1e12);
    EXPECT_NEAR(c.published->step_s(), 7.47, 0.01);
  }
}

TEST(PublishedSteps, OnlyOneRowWasSetOn) {
  std::map<std::string, int> uses;
  for (const PublishedStep& step : published_steps()) ++uses[step.use];
  EXPECT_EQ(uses["set"], 1);
  EXPECT_EQ(uses["listed"], 10);
  EXPECT_GE(uses["held-out"], 18);
  EXPECT_EQ(uses.size(), 4U);
}

// Llama 3.1 8B on 4 GB200: step times within 10 %, speed-ups over BF16 within 5 %.
TEST(PublishedSteps, ReproduceTheGb200Table) {
  double bf16_predicted_s = 0;
  double bf16_published_s = 0;
  int rows = 0;
  for (const PublishedComparison& c : comparisons()) {
    if (c.published->source != "tutorial") continue;
    ++rows;
    const double published_s = c.published->step_s();
    EXPECT_NEAR(c.predicted.step_s / published_s, 1, 0.10);
    if (c.published->job.recipe == Recipe::bf16) {
      bf16_predicted_s = c.predicted.step_s;
      bf16_published_s = published_s;
      continue;
    }
    const double speed_up = bf16_predicted_s / c.predicted.step_s;
    EXPECT_NEAR(speed_up / (bf16_published_s / published_s), 1, 0.05)
        << to_string(c.published->job.recipe);
  }
  EXPECT_EQ(rows, 4);
}

// GB300, GB200, B200 and H100 in the container 25.11.
TEST(PublishedSteps, ReproduceEightBillionOnFourGpus) {
  int rows = 0;
  for (const PublishedComparison& c : comparisons()) {
    if (c.published->source != "25.11" || c.published->use != "listed") continue;
    ++rows;
    EXPECT_NEAR(c.error(), 0, 0.12)
        << c.published->machine << " " << to_string(c.published->job.recipe);
  }
  EXPECT_EQ(rows, 7);
}

// Other models, machines, layouts and releases: a mean error below 8 %, and error bars that mean
// what they say (68 % within one sigma were they exact).
TEST(PublishedSteps, HoldOnRowsThatNothingWasSetOn) {
  double sum = 0;
  int rows = 0;
  int within = 0;
  for (const PublishedComparison& c : comparisons()) {
    if (c.published->use == "set" || c.published->use == "listed") continue;
    sum += std::fabs(c.error());
    ++rows;
    if (std::fabs(c.error()) <= c.predicted.error_s / c.predicted.step_s) ++within;
  }
  EXPECT_LT(sum / rows, 0.08);
  EXPECT_GT(within, rows / 2);
}

TEST(PublishedSteps, LendTheirSettings) {
  EXPECT_EQ(nearest_published("llama3-8b", "gb200", Recipe::nvfp4)->keep_bf16, "last:4");
  EXPECT_EQ(nearest_published("llama3-70b", "h100", Recipe::bf16)->job.pipeline, 8);
  EXPECT_EQ(nearest_published("llama3-405b", "h200", Recipe::nvfp4)->job.recipe, Recipe::nvfp4);
  EXPECT_EQ(nearest_published("nemotron-super-49b", "gb200", Recipe::bf16), nullptr);
}

}  // namespace
}  // namespace mansard
