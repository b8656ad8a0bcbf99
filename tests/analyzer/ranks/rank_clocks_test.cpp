// SPDX-License-Identifier: Apache-2.0
// Alignment of the clocks of synthetic ranks: the true offsets are known.
#include <gtest/gtest.h>

#include "tests/analyzer/ranks/compared_job.h"

namespace mansard::test {
namespace {

using analysis::JobRanks;

// The error of a rank's clock at its start and end, compared with rank 0.
double largest_error_ns(const JobRanks& job, const JobScenario& scenario, std::size_t rank) {
  const analysis::RankClock& clock = job.clocks.ranks.at(rank);
  if (!clock.shift) return 1e18;
  const RankVariation& v = scenario.variation(static_cast<int>(rank));
  const RankVariation& reference = scenario.variation(0);
  const auto own = [](const RankVariation& variation, std::int64_t true_ns) {
    return true_ns + variation.clock_ahead_ns +
           std::llround(variation.clock_drift * static_cast<double>(true_ns - kJobStart_ns));
  };
  double largest = 0;
  const std::int64_t first = job.summaries[rank].start_utc_ns - v.clock_ahead_ns;
  const std::int64_t last = job.summaries[rank].end_utc_ns - v.clock_ahead_ns;
  for (const std::int64_t true_ns : {first, last}) {
    const std::int64_t aligned = clock.aligned(own(v, true_ns));
    largest = std::max(largest, std::fabs(static_cast<double>(aligned - own(reference, true_ns))));
  }
  return largest;
}

// 1 ms, and 20 µs per second over two seconds, in spite of arrivals that differ by up to half of
// the time between collectives.
TEST(RankClocks, RecoverOffsetsAndDrift) {
  JobScenario scenario;
  scenario.steps = 600;
  scenario.arrival_jitter = 0.5;
  scenario.end_jitter_ns = 3000;
  scenario.variations[1].clock_ahead_ns = 1'000'000;
  scenario.variations[2].clock_ahead_ns = -1'000'000;
  scenario.variations[2].clock_drift = 20e-6;
  scenario.variations[3].clock_ahead_ns = 40'000'000'000;
  const JobRanks job = compared(scenario);
  ASSERT_EQ(job.clocks.aligned, 4u);
  for (std::size_t rank = 0; rank < 4; ++rank) {
    EXPECT_LT(largest_error_ns(job, scenario, rank), 5000) << "rank " << rank;
  }
  EXPECT_NEAR(job.clocks.ranks[2].shift->drift, -20e-6, 2e-6);
  EXPECT_LT(job.clocks.largest_scatter_ns, 3000);
}

TEST(RankClocks, SamplesAreBoundedAndCommon) {
  JobScenario scenario;
  scenario.ranks = 2;
  scenario.steps = 1500;
  scenario.segment_kernels = 20;  // half a step is more than 1 ms
  scenario.api_calls = false;
  scenario.variations[1].clock_ahead_ns = 1'000'000;
  scenario.variations[1].steps = 700;  // a lower level of samples
  const JobRanks job = compared(scenario);
  for (const analysis::RankSummary& rank : job.summaries) {
    EXPECT_LE(rank.samples.size(), analysis::kMaxCollectiveSamples + analysis::kFirstCollectives);
    EXPECT_GE(rank.samples.size(), analysis::kMaxCollectiveSamples / 4);
    EXPECT_LE(rank.step_samples.size(), analysis::kMaxRankSteps);
  }
  EXPECT_GT(job.summaries[0].sample_level, job.summaries[1].sample_level);
  EXPECT_LT(largest_error_ns(job, scenario, 1), 5000);
}

TEST(RankClocks, LevelsAreNestedAndHalve) {
  std::int64_t count = 0;
  for (std::int64_t launch = 0; launch < 10'000; ++launch) {
    for (int level = 1; level < 8; ++level) {
      if (analysis::is_sampled(launch, level)) {
        EXPECT_TRUE(analysis::is_sampled(launch, level - 1));
      }
    }
    count += analysis::is_sampled(launch, 3) ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(count), 1250, 150);
}

// A rank whose collectives are those of another job does not end with the others.
TEST(RankClocks, RefuseRanksThatDoNotEndTogether) {
  const JobRanks job = compared(JobScenario{}, [](const auto& folder, Files& files) {
    JobScenario other;
    other.ranks = 5;
    other.arrival_jitter = 20;
    SyntheticJob(other).write(4, folder / "run-4.sqlite");
    files.push_back(folder / "run-4.sqlite");
  });
  EXPECT_EQ(job.clocks.aligned, 4u);
  const std::string problems = problems_of(job, analysis::ProblemKind::not_aligned);
  EXPECT_NE(problems.find("rank 4"), std::string::npos) << problems;
  EXPECT_NE(problems.find("do not end together"), std::string::npos) << problems;
}

// In a regular job, collectives that are numbered from another step look like an offset of whole
// steps.
TEST(RankClocks, RefuseOffsetsOfWholeSteps) {
  analysis::RankSummary a;
  a.origin = analysis::StepOrigin::ranges;
  a.typical_steps = 20;
  a.step_median_ns = 1'000'000;
  a.collectives = {{.id = 0, .name = kJobAllReduce, .launches = 20}};
  for (std::int64_t i = 0; i < 20; ++i) {
    a.samples.push_back({.launch = i,
                         .start_utc_ns = kJobStart_ns + i * 1'000'000,
                         .end_utc_ns = kJobStart_ns + i * 1'000'000 + 500'000});
  }
  analysis::RankSummary b = a;
  b.rank = 1;
  // It recorded from the second step on.
  b.collectives[0].launches = 19;
  b.samples.erase(b.samples.begin());
  for (analysis::CollectiveSample& sample : b.samples) --sample.launch;
  const analysis::RankClocks clocks = analysis::align_rank_clocks({a, b});
  EXPECT_EQ(clocks.aligned, 0u);
  EXPECT_NE(clocks.ranks[1].obstacle.find("exceed half a step"), std::string::npos)
      << clocks.ranks[1].obstacle;
}

// Ranks 0 and 1, and 2 and 3, communicate in one kind of collective; 0 and 2, and 1 and 3, in
// another: every rank is aligned, if not directly with rank 0.
TEST(RankClocks, AlignThroughGroups) {
  const auto rank_of = [](int rank) {
    analysis::RankSummary summary;
    summary.rank = rank;
    summary.collectives = {{.id = 0, .name = "ncclDevKernel_AllReduce", .launches = 40},
                           {.id = 1, .name = "ncclDevKernel_ReduceScatter", .launches = 40}};
    for (std::int64_t kind = 0; kind < 2; ++kind) {
      // Groups end at times of their own, which differ irregularly by up to a millisecond.
      const std::int64_t group = kind == 0 ? rank / 2 : rank % 2;
      for (std::int64_t i = 0; i < 40; ++i) {
        const auto seed = static_cast<std::uint64_t>(1000 * kind + 100 * group + i);
        const std::int64_t end = kJobStart_ns + i * 10'000'000 + kind * 5'000'000 +
                                 static_cast<std::int64_t>(splitmix64(seed) % 1'000'000) +
                                 rank * 1'000'000'000LL;  // its clock is ahead
        summary.samples.push_back(
            {.collective = kind, .launch = i, .start_utc_ns = end - 1000, .end_utc_ns = end});
      }
    }
    return summary;
  };
  const analysis::RankClocks clocks =
      analysis::align_rank_clocks({rank_of(0), rank_of(1), rank_of(2), rank_of(3)});
  ASSERT_EQ(clocks.aligned, 4u);
  for (std::size_t rank = 0; rank < 4; ++rank) {
    EXPECT_NEAR(static_cast<double>(clocks.ranks[rank].aligned(kJobStart_ns) - kJobStart_ns),
                -1e9 * static_cast<double>(rank), 1000);
  }
  EXPECT_NE(clocks.ranks[3].through, 0u);
}

}  // namespace
}  // namespace mansard::test
