// SPDX-License-Identifier: Apache-2.0
#include "analyzer/goodput/checkpoint_interval.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "analyzer/goodput/expected_goodput.h"
#include "tests/analyzer/goodput/goodput_job.h"
#include "tests/analyzer/predict/error_of.h"

namespace mansard::analysis {
namespace {

constexpr double kMinute_s = 60;

// The optima that Daly (2006) states for saves of 5 min, figures 3 to 5: 117, 57 and 9.1 min.
TEST(CheckpointInterval, DalysPublishedOptima) {
  const struct {
    double mtbf_min;
    double optimum_min;
    double rounding_min;
  } cases[] = {{24 * 60, 117, 0.5}, {6 * 60, 57, 0.5}, {15, 9.1, 0.05}};
  for (const auto& c : cases) {
    const double daly_s = daly_interval_s(5 * kMinute_s, c.mtbf_min * kMinute_s);
    EXPECT_NEAR(daly_s / kMinute_s, c.optimum_min, c.rounding_min);
    const double exact_s = optimum_interval_s(5 * kMinute_s, c.mtbf_min * kMinute_s);
    EXPECT_NEAR(exact_s / daly_s, 1, 0.003);
  }
}

TEST(CheckpointInterval, YoungAndLimits) {
  EXPECT_DOUBLE_EQ(young_interval_s(50, 10'000), 1000);
  EXPECT_DOUBLE_EQ(daly_interval_s(300, 100), 100);  // a save takes more than twice the MTBF
  EXPECT_EQ(optimum_interval_s(0, 100), 0);
  EXPECT_EQ(optimum_interval_s(1, std::numeric_limits<double>::infinity()),
            std::numeric_limits<double>::infinity());
  // Short saves: Young's formula less the save, up to terms of third order.
  EXPECT_NEAR(optimum_interval_s(1e-6, 1e6) / young_interval_s(1e-6, 1e6), 1, 1e-5);
  // Saves much longer than the MTBF: w approaches M.
  EXPECT_NEAR(optimum_interval_s(2000, 100) / 100, 1, 1e-6);
}

// 1 - w / M = exp(-(w + c) / M).
// The longest interval within a share of lost samples, for shards and for replicas.
TEST(CheckpointInterval, PartialIntervalKeepsToTheShare) {
  for (const bool replicated : {false, true}) {
    for (const double share : {1e-5, 0.01, 0.2}) {
      GoodputJob job = long_job(1024);
      job.recovery = Recovery::partial;
      job.replicated = replicated;
      job.save_s = share == 1e-5 ? 0.5 : 30;
      job.lost_samples = share;
      const double w = partial_interval_s(job);
      ASSERT_GT(w, 0);
      EXPECT_NEAR(lost_samples_of(job, w) / share, 1, 1e-9);
    }
  }
}

// For failures that are far apart, both are CPR's first order.
TEST(CheckpointInterval, LostSamplesOfRareFailures) {
  GoodputJob job = long_job(1024);
  job.recovery = Recovery::partial;
  job.save_s = 0;
  job.node_mtbf_s *= 1e3;
  const double first_order = job.failures_per_s() * 1800 / 2 / static_cast<double>(job.nodes());
  EXPECT_NEAR(lost_samples_of(job, 1800) / first_order, 1, 1e-5);
  job.replicated = true;
  EXPECT_NEAR(lost_samples_of(job, 1800) / first_order, 1, 1e-5);
  job.node_mtbf_s = std::numeric_limits<double>::infinity();
  EXPECT_EQ(lost_samples_of(job, 1800), 0);
  EXPECT_EQ(partial_interval_s(job), std::numeric_limits<double>::infinity());
}

// A replica that fails all the time loses all, but not more.
TEST(CheckpointInterval, LostSamplesOfReplicasAreLimited) {
  GoodputJob job = long_job(1024);
  job.recovery = Recovery::partial;
  job.replicated = true;
  job.save_s = 0;
  EXPECT_NEAR(lost_samples_of(job, 1e6 * job.node_mtbf_s), 1, 1e-5);
}

TEST(CheckpointInterval, OptimumSolvesItsEquation) {
  for (const double save_s : {0.01, 1.0, 30.0, 500.0, 20'000.0}) {
    const double mtbf_s = 10'000;
    const double w = optimum_interval_s(save_s, mtbf_s);
    EXPECT_NEAR(1 - w / mtbf_s, std::exp(-(w + save_s) / mtbf_s), 1e-9) << save_s;
  }
}

// No interval of a dense grid is better. The segments are whole, so that the last one does not
// matter.
TEST(CheckpointInterval, OptimumIsTheMinimumOfTheExactExpectation) {
  for (const std::int64_t gpus : {1024, 16'384, 100'000}) {
    for (const double write_s : {0.0, 20.0}) {
      GoodputJob job = long_job(gpus);
      job.write_s = write_s;
      const double best_s = interval_of(job);
      const auto cost = [&](double interval_s) {
        GoodputJob other = with_interval(job, interval_s);
        other.steps = 1000 * interval_s / job.step_s();
        const Goodput g = expected_goodput(other);
        return g.wall_s() / other.training_s();
      };
      const double best = cost(best_s);
      for (double factor = 0.5; factor < 2; factor += 0.01) {
        EXPECT_GE(cost(factor * best_s), best * (1 - 1e-9)) << gpus << " " << factor;
      }
      EXPECT_GT(cost(1.1 * best_s), best);
      EXPECT_GT(cost(0.9 * best_s), best);
    }
  }
}

TEST(CheckpointInterval, PartialRecoveryKeepsToTheShareOfLostSamples) {
  GoodputJob job = long_job(16'384);
  job.recovery = Recovery::partial;
  job.lost_samples = 0.001;
  job.steps *= 100;
  EXPECT_NEAR(expected_goodput(job).lost_samples, 0.001, 1e-12);
  EXPECT_DOUBLE_EQ(cpr_partial_interval_s(job), 2 * 0.001 * 2048 * job.mtbf_s());
  // The first order neglects failures during recovery, and saves.
  EXPECT_NEAR(partial_interval_s(job) / cpr_partial_interval_s(job), 1, 0.06);
  EXPECT_LT(partial_interval_s(job), cpr_partial_interval_s(job));
  job.lost_samples = 1e-7;
  EXPECT_TRUE(says(error_of([&] { interval_of(job); }), "use full recovery"));
}

TEST(CheckpointInterval, KeepsToTheLimitsOfTheJob) {
  GoodputJob job = long_job(16'384);
  job.save_s = 0;
  EXPECT_EQ(interval_of(job), 7);  // a step
  job.write_s = 90;
  EXPECT_EQ(interval_of(job), 90);  // one write at a time
  job.save_s = 30;
  job.node_mtbf_s = std::numeric_limits<double>::infinity();
  EXPECT_EQ(interval_of(job), job.training_s());  // one save, at the end
}

}  // namespace
}  // namespace mansard::analysis
