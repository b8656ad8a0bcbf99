// SPDX-License-Identifier: Apache-2.0
// Slow ranks and waiting, in synthetic jobs with known times.
#include <gtest/gtest.h>

#include "analyzer/ranks/rank_tables.h"
#include "analyzer/ranks/ranks_finding.h"
#include "tests/analyzer/ranks/compared_job.h"
#include "tests/analyzer/table_cells.h"

namespace mansard::test {
namespace {

using analysis::JobRanks;

// 4 collectives a step, before each 5 GEMMs and 5 other kernels of 50 µs: rank 2's GEMMs take 40 %
// longer, 4 x 5 x 20 µs = 400 µs per step. The others wait that long, up to the jitter of arrivals:
// at most 2 % of 500 µs in each collective, 40 µs per step.
JobScenario with_slow_rank() {
  JobScenario job;
  job.variations[2].slow_gemms = 0.4;
  return job;
}

TEST(JobRanks, FindTheSlowRankAndItsKernels) {
  const JobRanks job = compared(with_slow_rank());
  ASSERT_EQ(job.slow, std::vector<std::size_t>{2});
  const analysis::JobRank& slow = job.ranks[2];
  EXPECT_NEAR(slow.excess_s, 400e-6, 40e-6);
  ASSERT_FALSE(slow.causes.empty());
  EXPECT_EQ(slow.causes.front().name, "gemm");
  EXPECT_NEAR(slow.causes.front().excess_s, 400e-6, 1e-6);
  EXPECT_NEAR(job.saving_s, 400e-6, 40e-6);
  EXPECT_EQ(job.steps.size(), 20u);
  EXPECT_DOUBLE_EQ(slow.slowest_share, 1);
  EXPECT_TRUE(job.problems.empty()) << analysis::problem_text(job.problems.front());
}

TEST(JobRanks, SplitExposedCommunicationIntoWaitingAndTransfer) {
  const JobRanks job = compared(with_slow_rank());
  ASSERT_TRUE(job.aligned);
  const analysis::RankArrivals& last = job.arrivals.ranks[2];
  EXPECT_EQ(last.last, last.matched);
  EXPECT_EQ(last.matched, 80);
  EXPECT_NEAR(*job.ranks[2].wait_s, 0, 1e-9);
  for (const std::size_t rank : {0u, 1u, 3u}) {
    EXPECT_NEAR(*job.ranks[rank].wait_s, 400e-6, 40e-6);
    // Four transfers of 200 µs.
    EXPECT_NEAR(job.ranks[rank].exposed_s - *job.ranks[rank].wait_s, 800e-6, 20e-6);
  }
  ASSERT_EQ(job.arrivals.collectives.size(), 1u);
  const analysis::CollectiveSkew& skew = job.arrivals.collectives.front();
  EXPECT_NEAR(skew.transfer_s, 200e-6, 3e-6);
  EXPECT_NEAR(skew.spread_s, 100e-6, 15e-6);
  EXPECT_EQ(skew.last_rank, 2u);
}

TEST(JobRanks, PartsOfAStepAddUp) {
  const JobRanks job = compared(with_slow_rank());
  const analysis::Table table = analysis::ranks_table(job);
  ASSERT_EQ(table.rows.size(), 4u);
  for (std::size_t row = 0; row < 4; ++row) {
    EXPECT_NEAR(number(table, row, "step_s"),
                number(table, row, "kernels_s") + number(table, row, "communication_s") +
                    number(table, row, "rank_wait_s") + number(table, row, "memcpy_memset_s") +
                    number(table, row, "idle_s"),
                1e-12);
  }
  EXPECT_EQ(number(table, 0, "rank"), 2) << "slowest first";
}

TEST(JobRanks, FindIdleTimeOfARank) {
  JobScenario scenario;
  scenario.variations[1].idle_ns = 300'000;
  const JobRanks job = compared(scenario);
  ASSERT_EQ(job.slow, std::vector<std::size_t>{1});
  ASSERT_FALSE(job.ranks[1].causes.empty());
  EXPECT_TRUE(job.ranks[1].causes.front().idle) << job.ranks[1].causes.front().name;
  EXPECT_FALSE(job.ranks[1].causes.front().remedy.empty());
  EXPECT_NEAR(job.ranks[1].causes.front().excess_s, 300e-6, 40e-6);
}

TEST(JobRanks, EqualRanksHoldNobodyUp) {
  const JobRanks job = compared(JobScenario{});
  EXPECT_TRUE(job.slow.empty());
  EXPECT_NE(analysis::job_overview(job).summary.find("No rank holds the others up"),
            std::string::npos);
}

TEST(JobRanks, TheSlowerOfTwoRanksIsFound) {
  JobScenario scenario;
  scenario.ranks = 2;
  scenario.variations[0].slow_gemms = 0.4;
  EXPECT_EQ(compared(scenario).slow, std::vector<std::size_t>{0});
}

TEST(JobRanks, AWholeHostIsNamed) {
  JobScenario scenario;
  scenario.ranks = 8;
  scenario.ranks_per_host = 2;
  scenario.variations[4].slow_gemms = scenario.variations[5].slow_gemms = 0.4;
  const JobRanks job = compared(scenario);
  EXPECT_EQ(job.slow.size(), 2u);
  const analysis::Table advice = analysis::job_overview(job).tables.at(0);
  EXPECT_NE(text(advice, 0, "advice").find("All ranks of node-2 are slow"), std::string::npos)
      << text(advice, 0, "advice");
}

TEST(JobRanks, ManyRanksArePlottedByTheirExtremes) {
  std::vector<double> values(1000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i);
  std::string chosen;
  const std::vector<std::size_t> rows = analysis::plotted_ranks(values, chosen);
  EXPECT_EQ(rows.size(), analysis::kMaxPlottedRanks);
  EXPECT_EQ(rows.front(), 0u);
  EXPECT_EQ(rows.back(), 999u);
  EXPECT_TRUE(std::ranges::is_sorted(rows));
  EXPECT_NE(chosen.find("of 1,000"), std::string::npos);
}

TEST(JobRanks, RankListsAreShort) {
  EXPECT_EQ(analysis::ranks_text({3}), "rank 3");
  EXPECT_EQ(analysis::ranks_text({0, 1, 2, 5, 7, 8}), "ranks 0-2, 5, 7, 8");
  EXPECT_EQ(analysis::ranks_text({0, 2, 4, 6, 8}, 2), "ranks 0, 2 and 3 more");
}

}  // namespace
}  // namespace mansard::test
