// SPDX-License-Identifier: Apache-2.0
// Links as tiers of predicted steps. The comments derive the expected values.
#include "analyzer/predict/link_tiers.h"

#include <numeric>

#include <gtest/gtest.h>

#include "analyzer/predict/prediction_findings.h"
#include "tests/analyzer/predict/job_of.h"
#include "tests/analyzer/table_cells.h"

namespace mansard::analysis {
namespace {

using test::number;
using test::text;

// Micro-batches of one sequence, one per GPU.
TrainingJob parallel_job(std::int64_t gpus, std::int64_t tensor = 1,
                         kernels::Recipe recipe = kernels::Recipe::bf16) {
  TrainingJob job = job_of("llama3-8b", recipe);
  job.gpus = gpus;
  job.tensor = tensor;
  job.global_batch = gpus / tensor;
  return job;
}

roofline::CollectiveFit measured_fit(const char* kernel, int ranks, double latency_s,
                                     double bytes_per_s) {
  roofline::CollectiveFit fit;
  fit.kernel = kernel;
  fit.ranks = ranks;
  fit.latency_s = latency_s;
  fit.bytes_per_s = bytes_per_s;
  return fit;
}

double total(const std::map<Precision, double>& flop) {
  return std::accumulate(flop.begin(), flop.end(), 0.0,
                         [](double sum, const auto& entry) { return sum + entry.second; });
}

// A row of the table, by phase and tier.
std::size_t row_of(const Table& table, std::string_view phase, std::string_view tier) {
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    if (text(table, row, "phase") == phase && text(table, row, "tier") == tier) return row;
  }
  throw std::out_of_range("no row " + std::string(phase) + ", " + std::string(tier));
}

// The FLOPs are those of the model (6 per weight and token, attention 3 x forward), and half a
// forward of attention more, because backward computes the scores again.
TEST(LinkTiers, CountTheExecutedFlops) {
  const TargetMachine h100 = *find_target_machine("h100");
  const TrainingJob job = parallel_job(8);
  const StepPrediction p = predict_step(job, h100, {});
  const auto tokens = static_cast<double>(job.sequence);
  const double attention = 32 * 2.0 * tokens * static_cast<double>(job.model.q_features());
  const double expected =
      tokens * (job.model.training_flop_per_token(job.sequence) + 0.5 * attention);
  const double flop = total(p.phases[0].flop) + total(p.phases[1].flop);
  EXPECT_NEAR(flop / expected, 1, 1e-9);
  EXPECT_NEAR(total(p.phases[2].flop) / flop, 1, 1e-12);  // one micro-batch can hide the exchange
}

// 8 H100 in one domain exchange gradients and weights of 2 B: each sends 7/8 x 2 x 2 B per
// parameter. The ridge point is 989.4 TFLOP/s over 450 GB/s.
TEST(LinkTiers, HaveTheIntensityOfTheBusBytes) {
  const TargetMachine h100 = *find_target_machine("h100");
  const StepPrediction p = predict_step(parallel_job(8), h100, {});
  const Table table = link_tiers_table(p, h100);
  const std::size_t step = row_of(table, "step", "NVLink");
  const double bytes = 2 * 2 * parameters_of_rank(p.job) * 7 / 8;
  EXPECT_NEAR(number(table, step, "bytes") / bytes, 1, 1e-12);
  const double flop = total(p.phases[0].flop) + total(p.phases[1].flop);
  EXPECT_NEAR(number(table, step, "flop_per_byte") / (flop / bytes), 1, 1e-12);
  EXPECT_NEAR(number(table, step, "ridge_flop_per_byte") / (h100.peak(Precision::bf16) / 450e9), 1,
              1e-12);
  EXPECT_EQ(text(table, step, "bound"), "compute");
  EXPECT_EQ(text(table, step, "roof"), "datasheet_nvlink");
  EXPECT_NEAR(number(table, step, "roof_s"), bytes / 450e9, 1e-9);
  // The prediction uses 0.75 of it.
  EXPECT_NEAR(number(table, step, "transfer_s"), bytes / (0.75 * 450e9), 1e-9);
  EXPECT_NEAR(number(table, step, "flop_per_s"), flop / p.step_s, 1e-3 * flop);
  EXPECT_EQ(table.rows.size(), 2u);  // the step, and the exchange of gradients
  EXPECT_EQ(row_of(table, "gradients and parameters", "NVLink"), 1u);
}

// 16 H100 in two domains: of the ring's 15 parts 8 leave a domain, through 8 adapters.
TEST(LinkTiers, DivideTheExchangeAmongNvlinkAndNetwork) {
  const TargetMachine h100 = *find_target_machine("h100");
  const StepPrediction p = predict_step(parallel_job(16), h100, {});
  const Table table = link_tiers_table(p, h100);
  const double bus = 2 * 2 * parameters_of_rank(p.job) * 15 / 16;
  EXPECT_NEAR(number(table, row_of(table, "step", "NVLink"), "bytes") / bus, 1, 1e-12);
  const std::size_t network = row_of(table, "step", "Network");
  EXPECT_NEAR(number(table, network, "bytes") / (bus * 8 / 15 / 8), 1, 1e-12);
  EXPECT_EQ(text(table, network, "roof"), "datasheet_network");
  EXPECT_NEAR(number(table, network, "ridge_flop_per_byte"), h100.peak(Precision::bf16) / 50e9, 1);
}

// Sequence parallelism gathers and reduces two tensors around attention and FFN: 2 x 2 forward; 2 x
// 3 backward, as x is gathered again for wgrad. Each sends 1/2 x tokens x hidden x 2 B, with tensor
// parallelism 2; recomputation repeats forward.
TEST(LinkTiers, KnowThePhasesOfTensorParallelism) {
  const TargetMachine h100 = *find_target_machine("h100");
  TrainingJob job = parallel_job(2, 2);
  const double message = 8192.0 * 4096 * 2 / 2;
  for (const Recompute recompute : {Recompute::none, Recompute::full}) {
    job.recompute = recompute;
    const StepPrediction p = predict_step(job, h100, {});
    const Table table = link_tiers_table(p, h100);
    const double again = recompute == Recompute::full ? 4 : 0;
    EXPECT_NEAR(number(table, row_of(table, "forward", "NVLink"), "bytes"), 32 * 4 * message, 1);
    EXPECT_NEAR(number(table, row_of(table, "backward", "NVLink"), "bytes"),
                32 * (6 + again) * message, 1);
  }
}

TEST(LinkTiers, SayWhatBoundsTheStep) {
  TargetMachine slow = *find_target_machine("h100");
  slow.nvlink_bytes_per_s = 1e9;
  const StepPrediction p = predict_step(parallel_job(8), slow, {});
  const Table table = link_tiers_table(p, slow);
  const std::size_t step = row_of(table, "step", "NVLink");
  EXPECT_EQ(text(table, step, "bound"), "NVLink");
  // AI x BW
  EXPECT_NEAR(number(table, step, "attainable_flop_per_s"),
              1e9 * number(table, step, "flop_per_byte"), 1e3);
  EXPECT_TRUE(link_bound_text(p, slow).starts_with(" The step is bound by NVLink: "));
  const TargetMachine h100 = *find_target_machine("h100");
  EXPECT_EQ(link_bound_text(predict_step(parallel_job(8), h100, {}), h100), "");
}

TEST(LinkTiers, AreMissingWithoutLinks) {
  const TargetMachine h100 = *find_target_machine("h100");
  const StepPrediction p = predict_step(parallel_job(1), h100, {});
  EXPECT_TRUE(link_tiers_table(p, h100).rows.empty());
  EXPECT_EQ(link_bound_text(p, h100), "");
  EXPECT_EQ(link_source_text(p, h100), "");
  for (const Table& table : step_finding(p, h100, {}).tables) EXPECT_NE(table.id, "link_tiers");
}

// A measured all-gather of two GPUs takes 10 us + bus bytes / 400 GB/s; the reduce-scatter was not
// measured. Three calls have three latencies.
TEST(LinkTiers, TakeMeasuredCollectives) {
  TargetMachine machine = *find_target_machine("h100");
  machine.collectives = {measured_fit("nccl_all_gather_2", 2, 1e-5, 400e9)};
  const TrainingJob job = parallel_job(4, 2);
  const Assumptions a;
  const Communication links(job, machine, a);
  const double bus = 0.5 * 8e9;
  const auto nvlink_s = [](const LinkTraffic& traffic) {
    return traffic.time_s.at(MemoryLevel::nvlink);
  };
  EXPECT_DOUBLE_EQ(nvlink_s(links.tensor(CollectiveOperation::all_gather, 8e9)),
                   1e-5 + bus / 400e9);
  EXPECT_DOUBLE_EQ(nvlink_s(links.tensor(CollectiveOperation::reduce_scatter, 8e9)),
                   bus / (0.75 * 450e9));
  EXPECT_NEAR(nvlink_s(links.data(CollectiveOperation::all_gather, 8e9, 3)), 3e-5 + bus / 400e9,
              1e-12);
  EXPECT_EQ(links.measured(), std::set<std::string>{"nccl_all_gather_2"});
  const StepPrediction p = predict_step(job, machine, a);
  const Table table = link_tiers_table(p, machine);
  const std::size_t step = row_of(table, "step", "NVLink");
  EXPECT_EQ(text(table, step, "roof"), "nccl_all_gather_2");
  EXPECT_EQ(text(table, step, "roof_source"), "measured");
  EXPECT_NE(link_source_text(p, machine).find("nccl_all_gather_2"), std::string::npos);
}

// Collectives of other group sizes say nothing about this job.
TEST(LinkTiers, KeepTheDatasheetForOtherGroupSizes) {
  TargetMachine machine = *find_target_machine("h100");
  const StepPrediction published = predict_step(parallel_job(8), machine, {});
  EXPECT_EQ(link_source_text(published, machine), "");
  machine.collectives = {measured_fit("nccl_all_gather_2", 2, 1e-5, 1e9)};
  const StepPrediction p = predict_step(parallel_job(8), machine, {});
  EXPECT_TRUE(p.measured_collectives.empty());
  EXPECT_DOUBLE_EQ(p.step_s, published.step_s);
  EXPECT_NE(link_source_text(p, machine).find("datasheet"), std::string::npos);
}

TEST(LinkTiers, AreInTheFindingOfAStep) {
  const TargetMachine h100 = *find_target_machine("h100");
  const Finding finding = step_finding(predict_step(parallel_job(8), h100, {}), h100, {});
  ASSERT_EQ(finding.tables.back().id, "link_tiers");
  for (const std::vector<Cell>& row : finding.tables.back().rows) {
    EXPECT_EQ(row.size(), finding.tables.back().columns.size());
  }
}

}  // namespace
}  // namespace mansard::analysis
