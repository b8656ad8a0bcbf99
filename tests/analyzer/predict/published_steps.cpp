// SPDX-License-Identifier: Apache-2.0
// Compares predictions with published throughput, all with the same assumptions.
#include "analyzer/predict/published_steps.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <gtest/gtest.h>

namespace mansard::analysis {
namespace {

const std::vector<PublishedComparison>& comparisons() {
  static const std::vector<PublishedComparison> all = compare_with_published({});
  return all;
}

// Published model FLOP/s = tokens/s x FLOP/token: 35093 x 51.47e9 = 1806 TFLOP/s.
TEST(PublishedSteps, ModelFlopsMatchThePublication) {
  for (const PublishedComparison& c : comparisons()) {
    if (c.published->source != "tutorial" || c.published->job.recipe != kernels::Recipe::nvfp4)
      continue;
    const TrainingJob& job = c.published->job;
    EXPECT_NEAR(c.published->tokens_per_s_per_gpu * job.model.training_flop_per_token(job.sequence),
                1805.6e12, 1e12);
    EXPECT_NEAR(c.published->step_s(), 7.47, 0.01);
  }
}

// Two jobs were used to fit assumptions; all rows of a job have the same use.
TEST(PublishedSteps, RowsOfAJobHaveTheSameUse) {
  std::map<std::string, int> uses;
  const std::vector<PublishedJob> jobs = published_jobs(comparisons());
  std::size_t rows = 0;
  for (const PublishedJob& job : jobs) {
    ++uses[job.published().use];
    rows += job.rows.size();
    for (const PublishedComparison* row : job.rows) {
      EXPECT_EQ(row->published->use, job.published().use)
          << row->published->source << " " << layout_text(row->published->job);
      EXPECT_EQ(row->predicted.step_s, job.predicted().step_s);
    }
  }
  EXPECT_EQ(uses["set"], 2);
  EXPECT_EQ(uses["listed"], 10);
  EXPECT_GE(uses["held-out"], 22);
  EXPECT_EQ(uses.size(), 4U);
  const auto doubtful = std::ranges::count(published_steps(), "doubtful", &PublishedStep::use);
  EXPECT_EQ(rows + static_cast<std::size_t>(doubtful), published_steps().size());
  EXPECT_EQ(doubtful, 2);
}

// Two rows of one job with 100 and 120 tokens/s count as 110; another job counts separately.
TEST(PublishedSteps, JobsCountOnce) {
  std::vector<PublishedStep> steps(3, published_steps().front());
  steps[0].tokens_per_s_per_gpu = 100;
  steps[1].tokens_per_s_per_gpu = 120;
  steps[2].tokens_per_s_per_gpu = 50;
  steps[2].job.context = 2;
  StepPrediction at_100;
  at_100.job = steps[0].job;
  at_100.step_s = static_cast<double>(at_100.job.global_batch * at_100.job.sequence) / 100 /
                  static_cast<double>(at_100.job.gpus);
  at_100.error_s = 0.2 * at_100.step_s;
  const std::vector<PublishedComparison> all = {
      {&steps[0], at_100}, {&steps[1], at_100}, {&steps[2], at_100}};
  const std::vector<PublishedJob> jobs = published_jobs(all);
  ASSERT_EQ(jobs.size(), 2U);
  EXPECT_EQ(jobs[0].rows.size(), 2U);
  EXPECT_DOUBLE_EQ(jobs[0].tokens_per_s_per_gpu(), 110);
  const std::vector<PublishedStatistics> groups = published_statistics(jobs);
  EXPECT_EQ(groups.front().group, "all");
  EXPECT_EQ(groups.front().jobs, 2);
  EXPECT_DOUBLE_EQ(groups.front().mean_error, (100. / 110 - 1 + 1) / 2);
  EXPECT_DOUBLE_EQ(groups.front().largest, 1);
  EXPECT_EQ(groups.front().within_one_sigma, 1);
}

// Llama 3.1 8B on 4 GB200: step times within 10 %, speed-ups over BF16 within 5 %.
TEST(PublishedSteps, PredictTheGb200Table) {
  double bf16_predicted_s = 0;
  double bf16_published_s = 0;
  int rows = 0;
  for (const PublishedComparison& c : comparisons()) {
    if (c.published->source != "tutorial") continue;
    ++rows;
    const double published_s = c.published->step_s();
    EXPECT_NEAR(c.predicted.step_s / published_s, 1, 0.10);
    if (c.published->job.recipe == kernels::Recipe::bf16) {
      bf16_predicted_s = c.predicted.step_s;
      bf16_published_s = published_s;
      continue;
    }
    const double speed_up = bf16_predicted_s / c.predicted.step_s;
    EXPECT_NEAR(speed_up / (bf16_published_s / published_s), 1, 0.05)
        << kernels::to_string(c.published->job.recipe);
  }
  EXPECT_EQ(rows, 4);
}

// Llama 3 8B on GB300, GB200, B200 and H100 in the container 25.11.
TEST(PublishedSteps, PredictLlama8bOnFewGpus) {
  int rows = 0;
  for (const PublishedComparison& c : comparisons()) {
    if (c.published->source != "25.11" || c.published->use != "listed") continue;
    ++rows;
    EXPECT_NEAR(c.error(), 0, 0.12)
        << c.published->machine << " " << kernels::to_string(c.published->job.recipe);
  }
  EXPECT_EQ(rows, 7);
}

// Other models, machines, layouts and releases. The error bars are correct if about 68 % of the
// jobs are within one sigma.
TEST(PublishedSteps, PredictJobsThatWereNotFitted) {
  std::map<std::string, PublishedStatistics> groups;
  for (const PublishedStatistics& g : published_statistics(published_jobs(comparisons()))) {
    groups[g.group] = g;
  }
  // Software of 2024 is slower than the measured kernels.
  EXPECT_GT(groups["software of 2024"].mean_error, 0.02);
  const PublishedStatistics& recent = groups["software since 2025"];
  EXPECT_LT(recent.mean_size, 0.05);
  EXPECT_LT(std::fabs(recent.mean_error), 0.03);
  EXPECT_LT(std::fabs(recent.largest), 0.12);
  EXPECT_GE(groups["held-out, since 2025"].jobs, 10);
  EXPECT_LT(groups["held-out, since 2025"].mean_size, 0.05);
  for (const char* family :
       {"BF16", "MXFP8", "NVFP4", "BF16, context parallel", "MXFP8, context parallel"}) {
    EXPECT_LT(groups[family].mean_size, 0.06) << family;
    EXPECT_LT(std::fabs(groups[family].mean_error), 0.05) << family;
  }
  EXPECT_GT(groups["all"].within_one_sigma, 0.6 * groups["all"].jobs);
  EXPECT_LT(groups["all"].within_one_sigma, 0.85 * groups["all"].jobs);
}

TEST(PublishedSteps, SupplyDefaultSettings) {
  EXPECT_EQ(nearest_published("llama3-8b", "gb200", kernels::Recipe::nvfp4)->keep_bf16, "last:4");
  EXPECT_EQ(nearest_published("llama3-70b", "h100", kernels::Recipe::bf16)->job.pipeline, 4);
  EXPECT_EQ(nearest_published("llama3-70b", "h100", kernels::Recipe::nvfp4)->job.pipeline, 8);
  EXPECT_EQ(nearest_published("llama3-405b", "h200", kernels::Recipe::nvfp4)->job.recipe,
            kernels::Recipe::nvfp4);
  EXPECT_EQ(nearest_published("nemotron-super-49b", "gb200", kernels::Recipe::bf16), nullptr);
}

}  // namespace
}  // namespace mansard::analysis
