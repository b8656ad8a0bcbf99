// SPDX-License-Identifier: Apache-2.0
#include "analyzer/goodput/expected_goodput.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "analyzer/goodput/checkpoint_interval.h"
#include "tests/analyzer/goodput/goodput_job.h"
#include "tests/analyzer/predict/error_of.h"

namespace mansard::analysis {
namespace {

using enum GoodputPart;

// 1000 steps of 10 s in 10 segments of 1000 s, each with a save of 20 s.
GoodputJob short_job() {
  GoodputJob job;
  job.gpus = 8;
  job.node_mtbf_s = std::numeric_limits<double>::infinity();
  job.compute_s = 8;
  job.foreground_sync_s = 3;
  job.background_sync_s = 2;
  job.steps = 1000;
  job.save_s = 20;
  job.load_s = 30;
  job.restart_s = 40;
  job.detect_s = 10;
  job.interval_s = 1000;
  return job;
}

TEST(ExpectedGoodput, WithoutFailuresOnlySavesAndSynchronizationCost) {
  GoodputJob job = short_job();
  Goodput g = expected_goodput(job);
  EXPECT_DOUBLE_EQ(g[compute], 8000);
  EXPECT_DOUBLE_EQ(g[synchronization], 2000);
  EXPECT_DOUBLE_EQ(g[saving], 200);
  EXPECT_DOUBLE_EQ(g.wall_s(), 10'200);
  EXPECT_EQ(g.failures, 0);
  job.synchronization = Synchronization::foreground;
  g = expected_goodput(job);  // 11 segments, of which the last has 1000 s
  EXPECT_DOUBLE_EQ(g[synchronization], 3000);
  EXPECT_DOUBLE_EQ(g.wall_s(), 11'220);
  job.interval_s = 3000;  // 3 x 3000 s and 2000 s
  EXPECT_DOUBLE_EQ(expected_goodput(job)[saving], 80);
  job.write_s = 100;  // hidden, but for the last one
  EXPECT_DOUBLE_EQ(expected_goodput(job)[saving], 180);
}

// One segment of 1000 + 20 s, recoveries of 80 s, a failure every 1000 s:
// T = exp(0.08) (exp(1.02) - 1) x 1000 s.
TEST(ExpectedGoodput, OneSegmentByHand) {
  GoodputJob job = short_job();
  job.node_mtbf_s = 1000;
  job.steps = 100;
  const Goodput g = expected_goodput(job);
  const double total_s = 1000 * std::exp(0.08) * (std::exp(1.02) - 1);
  EXPECT_NEAR(g.wall_s(), total_s, 1e-9 * total_s);
  EXPECT_NEAR(g.failures, total_s / 1000, 1e-9);
  // Recoveries take T (1 - exp(-0.08)), in phases of 10, 40 and 30 s.
  EXPECT_NEAR(g[detection], total_s * (1 - std::exp(-0.01)), 1e-9);
  EXPECT_NEAR(g[rescheduling], total_s * (std::exp(-0.01) - std::exp(-0.05)), 1e-9);
  EXPECT_NEAR(g[loading], total_s * (std::exp(-0.05) - std::exp(-0.08)), 1e-9);
  EXPECT_NEAR(g[lost_work], total_s * std::exp(-0.08) - 1020, 1e-9);
}

// Three segments of t = 120 s, the last one 150 s with its write of b = 30 s, a failure every 200
// s, recoveries of r = 80 s: T = exp(r / M) M (2 exp(b / M) (exp(t / M) - 1) + exp(150 / M) - 1).
TEST(ExpectedGoodput, BackgroundWritesByHand) {
  GoodputJob job = short_job();
  job.node_mtbf_s = 200;
  job.steps = 30;
  job.interval_s = 100;
  job.write_s = 30;
  const double total_s =
      200 * std::exp(0.4) * (2 * std::exp(0.15) * (std::exp(0.6) - 1) + std::exp(0.75) - 1);
  EXPECT_NEAR(expected_goodput(job).wall_s(), total_s, 1e-9 * total_s);
}

// Partial recovery: (10,000 + 200 s) exp(80 / 5000), and the share of lost samples of its formula.
TEST(ExpectedGoodput, PartialRecoveryByHand) {
  GoodputJob job = short_job();
  job.node_mtbf_s = 5000;
  job.recovery = Recovery::partial;
  job.shards = 4;
  const Goodput g = expected_goodput(job);
  EXPECT_NEAR(g.wall_s(), 10'200 * std::exp(0.016), 1e-6);
  EXPECT_EQ(g[lost_work], 0);
  EXPECT_NEAR(g.lost_samples, std::exp(0.016) * (500 + 20) / 5000 / 4, 1e-12);
  EXPECT_NEAR(first_order_goodput(job).lost_samples, 0.5 * 1000 / 5000 / 4, 1e-12);
}

// CPR's formulas, term by term.
TEST(ExpectedGoodput, FirstOrderByHand) {
  GoodputJob job = short_job();
  job.node_mtbf_s = 5000;
  Goodput g = first_order_goodput(job);
  EXPECT_DOUBLE_EQ(g[saving], 20 * 10'000 / 1000.0);
  EXPECT_DOUBLE_EQ(g[lost_work], 500 * 10'000 / 5000.0);
  EXPECT_DOUBLE_EQ(g[detection] + g[rescheduling] + g[loading], 80 * 10'000 / 5000.0);
  job.recovery = Recovery::partial;
  g = first_order_goodput(job);
  EXPECT_EQ(g[lost_work], 0);
  EXPECT_DOUBLE_EQ(g.wall_s(), 10'000 + 200 + 160);
}

// The overhead that the first order misses, relative to the exact one, as stated in the header.
TEST(ExpectedGoodput, FirstOrderBreaksDownWithFrequentFailures) {
  const struct {
    double restart_s;
    double load;  // failures x (segment + recovery)
    double missed;
  } cases[] = {{20, 0.13, 0.06}, {300, 0.42, 0.21}, {1200, 1.12, 0.47}};
  for (const auto& c : cases) {
    GoodputJob job = long_job(100'000);
    job.restart_s = c.restart_s;
    job.save_s = c.restart_s / 10;
    const double exact_s = expected_goodput(job).wall_s() - job.training_s();
    const double first_s = first_order_goodput(job).wall_s() - job.training_s();
    EXPECT_NEAR((interval_of(job) + job.save_s + job.recovery_s()) * job.failures_per_s(), c.load,
                0.01);
    EXPECT_NEAR(1 - first_s / exact_s, c.missed, 0.01);
  }
  GoodputJob rare = long_job(64);
  const double exact = expected_goodput(rare).fraction();
  EXPECT_NEAR(first_order_goodput(rare).fraction(), exact, 1e-4);
}

TEST(ExpectedGoodput, FrequentFailuresAreRefusedWithTheReason) {
  GoodputJob job = short_job();
  job.node_mtbf_s = 60;  // exp(1020 / 60) attempts of each segment
  EXPECT_LT(expected_goodput(job).fraction(), 1e-6);
  job.node_mtbf_s = 30;
  const std::string error = error_of([&] { expected_goodput(job); });
  EXPECT_TRUE(says(error, "makes no progress: it fails every 30.0 s"));
  EXPECT_TRUE(says(error, "takes 18.3 min"));
  job.recovery = Recovery::partial;  // recoveries of 80 s
  EXPECT_LT(expected_goodput(job).fraction(), 0.1);
  EXPECT_GT(expected_goodput(job).fraction(), 0.05);
}

TEST(ExpectedGoodput, MoreFailuresNeverRaiseIt) {
  for (const Recovery recovery : {Recovery::full, Recovery::partial}) {
    for (const bool spares : {false, true}) {
      double last = 1;
      for (double mtbf_s = 1e12; mtbf_s > 2e6; mtbf_s /= 1.5) {
        GoodputJob job = long_job(16'384);
        job.node_mtbf_s = mtbf_s;
        job.recovery = recovery;
        if (spares) job.spares = 8;
        job.repair_s = 3600;
        const double fraction = expected_goodput(job).fraction();
        EXPECT_LE(fraction, last) << mtbf_s;
        EXPECT_LE(expected_goodput(with_interval(job, 1800)).fraction(), 1);
        last = fraction;
      }
      EXPECT_LT(last, 0.95);
    }
  }
}

// Erlang's table: 0.2 for one server with a load of 0.25; 0.0188 for 5 servers and a load of 1.66.
TEST(ExpectedGoodput, ErlangB) {
  EXPECT_DOUBLE_EQ(erlang_b(1, 0.25), 0.2);
  EXPECT_NEAR(erlang_b(5, 1.66), 0.02, 0.001);
  EXPECT_EQ(erlang_b(0, 3), 1);
  EXPECT_NEAR(erlang_b(10'000, 12'000), 1 - 10.0 / 12, 0.001);
}

TEST(ExpectedGoodput, SpareNodes) {
  GoodputJob job = long_job(16'384);
  const double unlimited = expected_goodput(job).fraction();
  job.repair_s = 86400;  // a load of 24 / 3.05 = 7.9 nodes
  double last = 0;
  for (const std::int64_t spares : {0, 4, 8, 16, 40}) {
    job.spares = spares;
    const Goodput g = expected_goodput(job);
    EXPECT_GT(g.fraction(), last);
    EXPECT_NEAR(g.share(waiting), erlang_b(spares + 1, job.failures_per_s() * job.repair_s), 1e-12);
    last = g.fraction();
  }
  EXPECT_NEAR(last, unlimited, 1e-9);
  // Running without 7.9 of 2048 nodes costs 0.4 %, waiting for all of them most of the time.
  job.spares = 0;
  const double waits = expected_goodput(job).fraction();
  job.without_spare = WithoutSpare::shrink;
  EXPECT_NEAR(expected_goodput(job).fraction() / unlimited, 1 - 7.85 / 2048, 0.0005);
  EXPECT_LT(waits, 0.5 * unlimited);
  // Replicas of 32 nodes: one is always incomplete, 1 of 64.
  job.replica_nodes = 32;
  EXPECT_NEAR(expected_goodput(job).fraction() / unlimited, 1 - 1.0 / 64, 0.002);
}

TEST(ExpectedGoodput, SpeedWithoutNodes) {
  GoodputJob job = long_job(8 * 64);
  job.replica_nodes = 16;
  EXPECT_EQ(job.speed_without(0), 1);
  EXPECT_EQ(job.speed_without(1), 0.75);
  EXPECT_EQ(job.speed_without(16), 0.75);
  EXPECT_EQ(job.speed_without(17), 0.5);
  EXPECT_EQ(job.speed_without(49), 0);
  EXPECT_EQ(job.speed_without(100), 0);
}

TEST(ExpectedGoodput, StepsWithinAWallTime) {
  GoodputJob job = long_job(16'384);
  job.steps = steps_within(job, 54 * 86400);
  EXPECT_NEAR(expected_goodput(job).wall_s(), 54 * 86400, 1);
}

TEST(ExpectedGoodput, InvalidInputs) {
  const auto error = [](auto change) {
    GoodputJob job = short_job();
    job.node_mtbf_s = 1e6;
    change(job);
    return error_of([&] { expected_goodput(job); });
  };
  EXPECT_EQ(error([](GoodputJob&) {}), "");
  EXPECT_TRUE(says(error([](GoodputJob& j) { j.gpus = 0; }), "GPUs 0: must be between 1 and"));
  EXPECT_TRUE(says(error([](GoodputJob& j) { j.node_mtbf_s = 0; }), "between failures"));
  EXPECT_TRUE(says(error([](GoodputJob& j) { j.compute_s = 0; }), "compute time per step of 0 s"));
  EXPECT_TRUE(says(error([](GoodputJob& j) { j.save_s = -1; }), "save time of -1 s"));
  EXPECT_TRUE(says(error([](GoodputJob& j) { j.load_s = std::nan(""); }), "load time of nan s"));
  EXPECT_TRUE(says(error([](GoodputJob& j) { j.restart_s = 1e13; }), "restart time of 1e+13 s"));
  EXPECT_TRUE(says(error([](GoodputJob& j) { j.steps = 0; }), "steps 0: must be above 0"));
  EXPECT_TRUE(says(error([](GoodputJob& j) { j.steps = INFINITY; }), "steps inf: must be above 0"));
  EXPECT_TRUE(
      says(error([](GoodputJob& j) { j.replica_nodes = 2; }), "2 nodes per replica: the job"));
  EXPECT_TRUE(says(error([](GoodputJob& j) { j.node_mtbf_s = 1e-4; }), "it fails every 100 µs"));
  EXPECT_TRUE(says(error([](GoodputJob& j) { j.lost_samples = 1; }), "share of lost samples 1"));
  EXPECT_TRUE(says(error([](GoodputJob& j) { j.spares = -1; }), "spare nodes -1"));
  EXPECT_TRUE(
      says(error([](GoodputJob& j) { j.interval_s = 5; }), "is shorter than a step of 10 s"));
  EXPECT_TRUE(says(error([](GoodputJob& j) { j.write_s = 2000; }), "before the next one"));
  EXPECT_TRUE(
      says(error([](GoodputJob& j) { j.background_sync_s = 4; }), "must not exceed that in the"));
}

TEST(ExpectedGoodput, DurationsAsText) {
  EXPECT_EQ(duration_text(57), "57.0 s");
  EXPECT_EQ(duration_text(119.9), "120 s");
  EXPECT_EQ(duration_text(852), "14.2 min");
  EXPECT_EQ(duration_text(3.09 * 3600), "3.09 h");
  EXPECT_EQ(duration_text(60 * 86400), "60.0 days");
  EXPECT_EQ(duration_text(2000 * 365.25 * 86400), "2,000 years");
  EXPECT_EQ(duration_text(1e300), "3.17e+292 years");
  EXPECT_EQ(duration_text(INFINITY), "n/a");
}

}  // namespace
}  // namespace mansard::analysis
