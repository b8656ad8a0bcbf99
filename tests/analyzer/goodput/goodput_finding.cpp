// SPDX-License-Identifier: Apache-2.0
#include "analyzer/goodput/goodput_finding.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "analyzer/goodput/expected_goodput.h"
#include "analyzer/goodput/goodput_changes.h"
#include "tests/analyzer/goodput/goodput_job.h"
#include "tests/analyzer/predict/job_of.h"
#include "tests/analyzer/table_cells.h"

namespace mansard::analysis {
namespace {

const Table& goodput_table_of(const Finding& finding, const std::string& id) {
  return *std::ranges::find(finding.tables, id, &Table::id);
}

using test::number;

struct Predicted {
  StepPrediction step;
  TargetMachine machine;
  GoodputJob job;
};

Predicted predicted_job(kernels::Recipe recipe, const char* keep) {
  Predicted p;
  p.machine = *find_target_machine("b200");
  TrainingJob training = job_of("llama3-70b", recipe, keep);
  training.gpus = 64;
  training.global_batch = 256;
  training.tensor = 2;
  training.pipeline = 4;
  training.virtual_pipeline = 5;
  p.step = predict_step(training, p.machine, Assumptions());
  p.job = long_job(16'384);
  p.job.background_sync_s = p.step.part_s(StepPart::data);
  p.job.foreground_sync_s = 5 * p.job.background_sync_s;
  p.job.compute_s = p.step.step_s - p.job.background_sync_s;
  return p;
}

TEST(GoodputChain, AddsUpFromPeakToWallTime) {
  for (const auto& [recipe, keep] :
       {std::pair(kernels::Recipe::bf16, "none"), std::pair(kernels::Recipe::fp8, "none"),
        std::pair(kernels::Recipe::nvfp4, "last:4")}) {
    const Predicted p = predicted_job(recipe, keep);
    const Goodput goodput = expected_goodput(p.job);
    const GoodputChain chain = goodput_chain(p.job, goodput, &p.step, &p.machine);
    EXPECT_NEAR(chain.ledger.residual_s(), 0, 1e-9 * chain.ledger.measured_s);
    EXPECT_NEAR(chain.flop, p.step.model_flop_per_s_per_gpu * p.step.step_s, 1e-6 * chain.flop);
    // The lines of the step reach the step time; MFU is that of the prediction.
    double step_s = chain.ledger.ideal_s;
    for (const LedgerLine& line : chain.ledger.lines) {
      step_s += line.time_s;
      EXPECT_GT(line.time_s, 0) << line.id;
      if (line.id == "synchronization") break;
    }
    EXPECT_NEAR(step_s, p.step.step_s, 1e-9 * step_s);
    const Table table = chain_table(chain);
    const std::size_t last = table.rows.size() - 1;
    EXPECT_NEAR(number(table, last, "after_s"), goodput.wall_s() / goodput.steps, 1e-9);
    // Efficiencies multiply to the last share of the peak.
    double product = 1;
    for (std::size_t row = 1; row < last; ++row) product *= number(table, row, "efficiency");
    EXPECT_NEAR(product, number(table, last, "of_peak"), 1e-9);
    EXPECT_NEAR(number(table, last, "of_peak"),
                p.step.model_flop_per_s_per_gpu / p.machine.peak(precision_of(recipe)) *
                    (p.step.step_s * goodput.steps / goodput.wall_s()),
                1e-9);
  }
}

TEST(GoodputChain, HighPrecisionFlopAreThoseNotConverted) {
  const Predicted p = predicted_job(kernels::Recipe::nvfp4, "last:4");
  const GoodputChain chain = goodput_chain(p.job, expected_goodput(p.job), &p.step, &p.machine);
  const kernels::TransformerModel& model = p.step.job.model;
  const double tokens = 256.0 * 8192 / 64;
  // A layer of Llama 3 70B: q and o 8192 x 8192, k and v 8192 x 1024, three matrices of 28672.
  const double layer = 2 * 8192.0 * 8192 + 2 * 8192.0 * 1024 + 3 * 8192.0 * 28672;
  const double flop = 6 * tokens * (4 * layer + 8192.0 * 128256 + 80 * 8192.0 * 64 * 128);
  const double expected_s =
      flop * (1 / p.machine.peak(Precision::bf16) - 1 / p.machine.peak(Precision::nvfp4));
  ASSERT_EQ(chain.ledger.lines.front().id, "high_precision");
  EXPECT_NEAR(chain.ledger.lines.front().time_s, expected_s, 1e-9 * expected_s) << model.name;
}

TEST(GoodputChain, StartsAtAGivenStep) {
  const GoodputJob job = long_job(1024);
  const Goodput goodput = expected_goodput(job);
  const GoodputChain chain = goodput_chain(job, goodput, nullptr, nullptr);
  EXPECT_EQ(chain.ledger.ideal_s, 7);
  const Table table = chain_table(chain);
  EXPECT_EQ(std::ranges::count(table.columns, "flop_per_s", &Column::key), 0);
  EXPECT_EQ(number(table, 0, "after_s"), 7);
}

GoodputStudy study_of(GoodputJob job) {
  GoodputStudy study;
  study.name = "a job";
  study.job = job;
  study.inputs = {{"GPUs", "16,384", "given"}};
  study.simulation = SimulationOptions{.seed = 1, .replications = 5};
  return study;
}

TEST(GoodputFinding, CausesAddUpToTheWallTime) {
  GoodputJob job = long_job(16'384);
  job.background_sync_s = 0.1;
  job.foreground_sync_s = 0.4;
  job.spares = 4;
  job.repair_s = 7200;
  const Finding finding = goodput_finding(study_of(job));
  for (const auto& [id, key] :
       {std::pair("overhead", "time_h"), std::pair("overhead", "share"),
        std::pair("simulated_parts", "exact_h"), std::pair("simulated_parts", "first_order_h"),
        std::pair("simulated_parts", "simulated_h")}) {
    const Table& table = goodput_table_of(finding, id);
    double sum = 0;
    for (std::size_t row = 0; row + 1 < table.rows.size(); ++row) {
      sum += number(table, row, key);
    }
    const double total = number(table, table.rows.size() - 1, key);
    EXPECT_NEAR(sum, total, 1e-12 * total) << id << " " << key;
  }
  const Table& result = goodput_table_of(finding, "goodput");
  EXPECT_EQ(number(result, 0, "goodput"), expected_goodput(job).fraction());
  for (std::size_t row = 0; row < 4; ++row) {
    double sum = 0;
    for (const char* key :
         {"goodput", "synchronization", "saving", "lost_work", "recovery", "missing_nodes"}) {
      sum += number(goodput_table_of(finding, "alternatives"), row, key);
    }
    EXPECT_NEAR(sum, 1, 1e-12);
  }
}

TEST(GoodputFinding, NamesABetterInterval) {
  const GoodputJob job = with_interval(long_job(16'384), 7200);
  const Finding finding = goodput_finding(study_of(job));
  EXPECT_NE(finding.summary.find("Checkpoints every 2.00 h"), std::string::npos) << finding.summary;
  EXPECT_NE(finding.summary.find("would be best"), std::string::npos);
  const Table& intervals = goodput_table_of(finding, "intervals");
  EXPECT_GT(number(intervals, 1, "goodput"), number(intervals, 0, "goodput"));
}

TEST(GoodputFinding, SweepHasItsMaximumAtTheOptimum) {
  const Finding finding = goodput_finding(study_of(long_job(16'384)));
  const Table& sweep = goodput_table_of(finding, "sweep");
  const double best_min = number(goodput_table_of(finding, "goodput"), 0, "interval_min");
  double best = 0;
  double at = 0;
  for (std::size_t row = 0; row < sweep.rows.size(); ++row) {
    if (number(sweep, row, "goodput") <= best) continue;
    best = number(sweep, row, "goodput");
    at = number(sweep, row, "interval_min");
  }
  EXPECT_DOUBLE_EQ(at, best_min);
}

TEST(GoodputChanges, AreSortedAndPossible) {
  GoodputJob job = with_interval(long_job(16'384), 3600);
  job.foreground_sync_s = 1;
  job.background_sync_s = 0.2;
  job.synchronization = Synchronization::foreground;
  const Goodput now = expected_goodput(job);
  const std::vector<GoodputChange> changes = goodput_changes(job, now);
  ASSERT_GT(changes.size(), 4u);
  for (std::size_t i = 0; i < changes.size(); ++i) {
    EXPECT_GT(changes[i].gain, 0) << changes[i].text;
    EXPECT_DOUBLE_EQ(changes[i].gain, changes[i].goodput.fraction() - now.fraction());
    if (i > 0) {
      EXPECT_LE(changes[i].gain, changes[i - 1].gain);
    }
  }
  const auto has = [&](const char* text) {
    return std::ranges::any_of(changes, [&](const GoodputChange& change) {
      return change.text.find(text) != std::string::npos;
    });
  };
  EXPECT_TRUE(has("a checkpoint every 13.2 min"));  // Daly: 812 s x 1.0124 - 30 s
  EXPECT_TRUE(has("synchronization in the background"));
  EXPECT_TRUE(has("half the restart time (to 2.50 min)"));
}

}  // namespace
}  // namespace mansard::analysis
