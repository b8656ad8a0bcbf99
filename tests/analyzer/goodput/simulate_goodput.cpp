// SPDX-License-Identifier: Apache-2.0
// The simulation against the formulas: two derivations of the same model.
#include "analyzer/goodput/simulate_goodput.h"

#include <cmath>

#include <gtest/gtest.h>

#include "analyzer/goodput/checkpoint_interval.h"
#include "analyzer/goodput/expected_goodput.h"
#include "tests/analyzer/goodput/goodput_job.h"
#include "tests/analyzer/predict/error_of.h"

namespace mansard::analysis {
namespace {

// |difference| <= 2 half widths of the 95 % confidence interval: 1 of 10,000 comparisons fails by
// chance, but for one seed none does or all do.
constexpr double kWidths = 2;

void expect_agrees(const GoodputJob& job, const SimulatedGoodput& simulated, const char* what) {
  const Goodput exact = expected_goodput(job);
  EXPECT_NEAR(simulated.mean.fraction() / exact.fraction(), 1, 0.03) << what;
  EXPECT_NEAR(simulated.mean.wall_s(), exact.wall_s(), kWidths * simulated.wall_error_s + 1e-3)
      << what;
  EXPECT_NEAR(simulated.mean.failures, exact.failures, kWidths * simulated.failures_error + 0.01)
      << what;
}

TEST(SimulateGoodput, AgreesWithTheExactExpectation) {
  for (const std::int64_t gpus : {64, 1024, 16'384, 100'000}) {
    for (const Recovery recovery : {Recovery::full, Recovery::partial}) {
      for (const double factor : {0.5, 1.0, 2.0}) {
        for (const double write_s : {0.0, 45.0}) {
          GoodputJob job = long_job(gpus);
          job.steps /= 3;
          job.recovery = recovery;
          job.write_s = write_s;
          job.interval_s = factor * optimum_interval_s(job.save_s, job.mtbf_s());
          const std::string what = std::to_string(gpus) + " GPUs, factor " +
                                   std::to_string(factor) + ", write " + std::to_string(write_s);
          const SimulatedGoodput s = simulate_goodput(job, {.seed = 7, .replications = 60});
          expect_agrees(job, s, what.c_str());
          if (recovery == Recovery::partial && gpus > 64) {
            const double expected = expected_goodput(job).lost_samples;
            EXPECT_NEAR(s.mean.lost_samples, expected, kWidths * s.lost_samples_error) << what;
            EXPECT_NEAR(s.mean.lost_samples / expected, 1, 0.05) << what;
          }
        }
      }
    }
  }
}

TEST(SimulateGoodput, AgreesInEachPart) {
  GoodputJob job = long_job(100'000);
  job.steps /= 6;
  job.write_s = 60;
  const SimulatedGoodput s = simulate_goodput(job, {.seed = 3, .replications = 400});
  const Goodput exact = expected_goodput(job);
  for (const GoodputPartInfo& info : goodput_parts()) {
    const double error_s = s.part_errors_s[static_cast<std::size_t>(info.part)];
    EXPECT_NEAR(s.mean[info.part], exact[info.part], kWidths * error_s + 1e-3) << info.key;
    EXPECT_LT(error_s, 0.02 * exact.wall_s()) << info.key;
  }
}

// Wall times are long against repairs, so the formulas for the steady state apply.
TEST(SimulateGoodput, AgreesWithSpareNodes) {
  struct Case {
    std::int64_t gpus;
    std::int64_t spares;
    WithoutSpare without;
    std::int64_t replica_nodes;
  };
  // Loads of 1.3 and 8 nodes in repair.
  for (const Case& c :
       {Case{16'384, 2, WithoutSpare::wait, 1}, Case{16'384, 0, WithoutSpare::wait, 1},
        Case{100'000, 8, WithoutSpare::wait, 1}, Case{100'000, 11, WithoutSpare::wait, 1},
        Case{16'384, 1, WithoutSpare::shrink, 64}, Case{100'000, 6, WithoutSpare::shrink, 100}}) {
    GoodputJob job = long_job(c.gpus);
    job.spares = c.spares;
    job.repair_s = 4 * 3600;
    job.without_spare = c.without;
    job.replica_nodes = c.replica_nodes;
    const SimulatedGoodput s = simulate_goodput(job, {.seed = 5, .replications = 60});
    const Goodput exact = expected_goodput(job);
    EXPECT_NEAR(s.mean.fraction() / exact.fraction(), 1, 0.03) << c.gpus << " " << c.spares;
    const GoodputPart part =
        c.without == WithoutSpare::wait ? GoodputPart::waiting : GoodputPart::degraded;
    EXPECT_GT(exact.share(part), 0.003);
    EXPECT_NEAR(s.mean[part] / exact[part], 1, 0.15) << c.gpus << " " << c.spares;
  }
}

// Replicas of `nodes` nodes each, of which one fails every `mtbf_s` while it trains.
GoodputJob replicated_job(std::int64_t replicas, double mtbf_s, std::int64_t nodes = 1) {
  GoodputJob job = long_job(8 * replicas * nodes);
  job.recovery = Recovery::partial;
  job.replicated = true;
  job.replica_nodes = nodes;
  job.node_mtbf_s = mtbf_s * static_cast<double>(nodes);
  job.interval_s = 1800;
  job.steps = 86400 * 10 / 7.0;
  return job;
}

// Up to the case of a replica that is absent for 9 % of the time.
TEST(SimulateGoodput, AgreesOnReplicasThatRecoverOneByOne) {
  for (const std::int64_t replicas : {2, 8, 64, 1000}) {
    for (const double mtbf_s : {400'000.0, 40'000.0, 4'000.0}) {
      for (const double write_s : {0.0, 200.0}) {
        GoodputJob job = replicated_job(replicas, mtbf_s);
        job.write_s = write_s;
        const std::string what = std::to_string(replicas) + " replicas, MTBF " +
                                 std::to_string(mtbf_s) + ", write " + std::to_string(write_s);
        const SimulatedGoodput s =
            simulate_goodput(job, {.seed = 11, .replications = replicas == 1000 ? 4 : 100});
        expect_agrees(job, s, what.c_str());
        const Goodput exact = expected_goodput(job);
        EXPECT_NEAR(s.mean.lost_samples, exact.lost_samples, kWidths * s.lost_samples_error)
            << what;
        for (const GoodputPart part :
             {GoodputPart::detection, GoodputPart::rescheduling, GoodputPart::loading}) {
          EXPECT_NEAR(s.mean[part], exact[part],
                      kWidths * s.part_errors_s[static_cast<std::size_t>(part)] + 1e-3)
              << what;
        }
      }
    }
  }
}

// Replicas share the nodes of those that wait for a repair.
TEST(SimulateGoodput, AgreesOnReplicasWithSpareNodes) {
  for (const std::int64_t nodes : {1, 4}) {
    for (const std::int64_t spares : {0, 3}) {
      GoodputJob job = replicated_job(64, 1e6, nodes);
      job.steps *= 20;
      job.spares = spares;
      job.repair_s = 4 * 3600;
      const SimulatedGoodput s = simulate_goodput(job, {.seed = 5, .replications = 40});
      const Goodput exact = expected_goodput(job);
      EXPECT_NEAR(s.mean.fraction() / exact.fraction(), 1, 0.03) << nodes << " " << spares;
      EXPECT_EQ(exact[GoodputPart::waiting], 0) << "the others do not wait";
      EXPECT_GT(exact[GoodputPart::degraded], 0);
      EXPECT_NEAR(s.mean[GoodputPart::degraded] / exact[GoodputPart::degraded], 1, 0.15)
          << nodes << " " << spares;
    }
  }
}

// Waiting for each other costs N times as much.
TEST(SimulateGoodput, ReplicasThatContinueLoseLess) {
  const GoodputJob job = replicated_job(64, 1e6);
  GoodputJob waiting = job;
  waiting.replicated = false;
  const auto lost = [](const Goodput& g) {
    return 1 - g.fraction() - g.share(GoodputPart::saving);
  };
  EXPECT_NEAR(lost(expected_goodput(waiting)) / lost(expected_goodput(job)), 64, 2);
  EXPECT_GT(lost(simulate_goodput(waiting, {}).mean), 50 * lost(simulate_goodput(job, {}).mean));
}

TEST(SimulateGoodput, WithoutFailuresNothingIsLost) {
  GoodputJob job = long_job(1024);
  job.node_mtbf_s = INFINITY;
  job.interval_s = 3600;
  const SimulatedGoodput s = simulate_goodput(job, {});
  EXPECT_EQ(s.mean.failures, 0);
  EXPECT_NEAR(s.mean.wall_s(), expected_goodput(job).wall_s(), 1e-3);
  EXPECT_NEAR(s.wall_error_s, 0, 1e-3);

  GoodputJob replicated = replicated_job(64, INFINITY);
  const SimulatedGoodput r = simulate_goodput(replicated, {});
  EXPECT_EQ(r.mean.failures, 0);
  EXPECT_NEAR(r.mean.wall_s(), expected_goodput(replicated).wall_s(), 1e-3);
}

TEST(SimulateGoodput, SameSeedSameResult) {
  const GoodputJob job = long_job(16'384);
  const SimulatedGoodput a = simulate_goodput(job, {.seed = 1, .replications = 10});
  const SimulatedGoodput b = simulate_goodput(job, {.seed = 1, .replications = 10});
  const SimulatedGoodput c = simulate_goodput(job, {.seed = 2, .replications = 10});
  EXPECT_EQ(a.mean.parts_s, b.mean.parts_s);
  EXPECT_EQ(a.part_errors_s, b.part_errors_s);
  EXPECT_NE(a.mean.parts_s, c.mean.parts_s);
}

// Clustered failures come as often, but hit fewer segments, and runs differ more.
TEST(SimulateGoodput, WeibullFailuresKeepTheirRate) {
  GoodputJob job = long_job(800);
  job.node_mtbf_s /= 200;  // single nodes fail often enough for the shape to matter
  const Goodput exact = expected_goodput(job);
  double spread[2] = {};
  double fraction[2] = {};
  int i = 0;
  for (const double shape : {0.5, 3.0}) {
    const SimulatedGoodput s =
        simulate_goodput(job, {.seed = 9, .replications = 200, .weibull_shape = shape});
    EXPECT_NEAR(s.mean.failures / s.mean.wall_s() / job.failures_per_s(), 1, 0.005) << shape;
    fraction[i] = s.mean.fraction();
    spread[i++] = s.failures_error;
  }
  EXPECT_GT(fraction[0], exact.fraction() + 0.01);
  EXPECT_LT(fraction[1], exact.fraction());
  EXPECT_GT(spread[0], 1.5 * spread[1]);
}

TEST(SimulateGoodput, MoreFailuresNeverRaiseGoodput) {
  double last = 1;
  for (const double factor : {1.0, 2.0, 4.0, 8.0}) {
    GoodputJob job = long_job(16'384);
    job.node_mtbf_s /= factor;
    const double fraction = simulate_goodput(job, {.seed = 1, .replications = 20}).mean.fraction();
    EXPECT_LT(fraction, last);
    last = fraction;
  }
}

// 100,000 ranks that fail one by one, 60 days: the number of events is that of checkpoints and
// failures (some 30,000 a run), whatever the number of steps.
TEST(SimulateGoodput, HundredThousandRanks) {
  GoodputJob job = long_job(100'000);
  job.gpus_per_node = 1;
  job.node_mtbf_s *= 8;
  job.compute_s = 0.01;
  job.steps = 60 * 86400 / 0.01;
  const SimulatedGoodput s = simulate_goodput(job, {.seed = 1, .replications = 10});
  expect_agrees(job, s, "100,000 ranks");
}

TEST(SimulateGoodput, InvalidOptions) {
  const GoodputJob job = long_job(1024);
  EXPECT_TRUE(says(error_of([&] { simulate_goodput(job, {.replications = 1}); }),
                   "replications 1: must be between 2 and 100,000"));
  EXPECT_TRUE(
      says(error_of([&] { simulate_goodput(job, {.weibull_shape = 0.01}); }), "Weibull shape"));
  GoodputJob endless = long_job(100'000);
  endless.steps *= 10'000;
  EXPECT_TRUE(says(error_of([&] { simulate_goodput(endless, {}); }), "use fewer replications"));
}

}  // namespace
}  // namespace mansard::analysis
