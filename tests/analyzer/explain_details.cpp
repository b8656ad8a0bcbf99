// SPDX-License-Identifier: Apache-2.0
// Details of the lines of a ledger: measured time in each run, ideal time, and time added. Runs and
// units: tiny_run.h.
#include <gtest/gtest.h>

#include "collector/import/profile_source.h"
#include "tests/analyzer/tiny_run.h"

namespace mansard::test {
namespace {

const analysis::LedgerDetail& detail(const analysis::Ledger& ledger, const std::string& id,
                                     const std::string& label) {
  static const analysis::LedgerDetail kNone;
  const analysis::LedgerLine* line = find(ledger, id);
  for (std::size_t i = 0; line != nullptr && i < line->details.size(); ++i) {
    if (line->details[i].label == label) return line->details[i];
  }
  ADD_FAILURE() << "line " << id << " has no detail " << label;
  return kNone;
}

constexpr std::nullopt_t kNotAvailable = std::nullopt;

void expect_us(const std::optional<double>& time_s, std::optional<double> time_us) {
  ASSERT_EQ(time_s.has_value(), time_us.has_value());
  if (!time_s) return;
  EXPECT_NEAR(1e6 * *time_s, *time_us, 1e-9);
}

void expect_detail(const analysis::LedgerDetail& detail, std::optional<double> baseline,
                   std::optional<double> ideal, std::optional<double> candidate, double adds) {
  SCOPED_TRACE(detail.label);
  expect_us(detail.baseline_s, baseline);
  expect_us(detail.ideal_s, ideal);
  expect_us(detail.candidate_s, candidate);
  EXPECT_NEAR(1e6 * detail.adds_s, adds, 1e-9);
}

// R = 2. Softmax takes 3 in the baseline and 2.5 in the candidate, idle time 1 and 1.5. The Amdahl
// line adds half of the baseline's time; the column of the candidate is its measured time, not the
// baseline / 2. The changes are separate lines.
TEST(LedgerDetails, AmdahlShowsMeasuredTimesOfTheCandidate) {
  TinyRun baseline;
  baseline.kernel(4, "gemm_a", kBf16).idle(1).kernel(3, "softmax_kernel");
  TinyRun candidate;
  candidate.kernel(2, "gemm_b", kFp8).idle(1.5).kernel(2.5, "softmax_kernel");
  const analysis::Ledger ledger = analysis::explain_gap(baseline.analyze(), candidate.analyze());
  expect_detail(detail(ledger, "non_gemm", "softmax"), 3, 1.5, 2.5, 1.5);
  expect_detail(detail(ledger, "non_gemm", "idle: between kernels"), 1, 0.5, 1.5, 0.5);
  expect_detail(detail(ledger, "softmax", "softmax_kernel <1x1x1>"), 3, 1.5, 2.5, -0.5);
  expect_detail(detail(ledger, "idle_between_kernels", "idle: between kernels"), 1, 0.5, 1.5, 0.5);
}

// The candidate has no softmax, the baseline no quantize kernel: not available, not zero. The idle
// time of the candidate was measured: zero.
TEST(LedgerDetails, KernelsOfOneRunAreNotAvailableInTheOther) {
  TinyRun baseline;
  baseline.kernel(4, "gemm_a", kBf16).idle(1).kernel(3, "softmax_kernel");
  TinyRun candidate;
  candidate.kernel(0.5, "quantize_kernel").kernel(2, "gemm_b", kFp8);
  const analysis::Ledger ledger = analysis::explain_gap(baseline.analyze(), candidate.analyze());
  expect_detail(detail(ledger, "non_gemm", "softmax"), 3, 1.5, kNotAvailable, 1.5);
  expect_detail(detail(ledger, "softmax", "softmax_kernel <1x1x1>"), 3, 1.5, kNotAvailable, -3);
  expect_detail(detail(ledger, "quantize", "quantize_kernel <1x1x1>"), kNotAvailable, kNotAvailable,
                0.5, 0.5);
  expect_detail(detail(ledger, "idle_between_kernels", "idle: between kernels"), 1, 0.5, 0, -1);
}

// One kernel in both runs, 2 and 2.5: the first line has 2 (1 - 1/2), the second 0.5. Both
// lines show both measured times.
TEST(LedgerDetails, HighPrecisionGemms) {
  TinyRun baseline;
  baseline.kernel(2, "gemm_a", kBf16).kernel(2, "gemm_head", kBf16);
  TinyRun candidate;
  candidate.kernel(1, "gemm_b", kFp8).kernel(2.5, "gemm_head", kBf16);
  const analysis::Ledger ledger = analysis::explain_gap(baseline.analyze(), candidate.analyze());
  expect_detail(detail(ledger, "high_precision_gemms", "gemm_head <1x1x1>"), 2, 1, 2.5, 1);
  expect_detail(detail(ledger, "high_precision_gemms_changed", "gemm_head <1x1x1>"), 2, 1, 2.5,
                0.5);
}

// gemm_a does 4e6 FLOP in 4, which is its SOL time. The candidate does one half in FP8 (1.5, SOL
// 1), the other half in BF16 with another kernel (2). So half of gemm_a's time is not converted and
// adds 2 (1 - 1/2) = 1, but its measured time is 4. The converted half is at SOL and adds nothing
// to efficiency; gemm_b adds 1.5 - 1 = 0.5.
TEST(LedgerDetails, PartlyConvertedGemmShowsItsFullTime) {
  TinyRun baseline;
  baseline.kernel(4, "gemm_a", "flop=4e6 precision=bf16 class=gemm");
  TinyRun candidate;
  candidate.kernel(1.5, "gemm_b", kFp8).kernel(2, "another_gemm", kBf16);
  const analysis::Ledger ledger = analysis::explain_gap(baseline.analyze(), candidate.analyze());
  expect_detail(detail(ledger, "high_precision_gemms", "gemm_a <1x1x1>"), 4, 2, kNotAvailable, 1);
  expect_detail(detail(ledger, "gemm_efficiency", "gemm_a <1x1x1>"), 4, 2, kNotAvailable, 0);
  expect_detail(detail(ledger, "gemm_efficiency", "gemm_b <1x1x1>"), kNotAvailable, kNotAvailable,
                1.5, 0.5);
  EXPECT_NEAR(ledger.residual_s(), 0, 1e-18);
}

// 15 kB take 1.5: SOL time 2 in BF16, 1.5 in FP8. S_B - S_A / 2 = 1.5 - 1: the details add times of
// both signs, but their measured times are positive.
TEST(LedgerDetails, MemoryBoundGemmsShowMeasuredTimes) {
  TinyRun baseline;
  baseline.kernel(2.2, "gemm_a", std::string(kBf16) + " hbm=15000");
  TinyRun candidate;
  candidate.kernel(1.6, "gemm_b", std::string(kFp8) + " hbm=15000");
  const analysis::Ledger ledger = analysis::explain_gap(baseline.analyze(), candidate.analyze());
  expect_detail(detail(ledger, "gemm_memory_bound", "gemm_a <1x1x1>"), 2.2, 1.1, kNotAvailable, -1);
  expect_detail(detail(ledger, "gemm_memory_bound", "gemm_b <1x1x1>"), kNotAvailable, kNotAvailable,
                1.6, 1.5);
}

// Ceilings at 2 GHz. Baseline at 1.8 GHz: 2 x 0.1 = 0.2 lost, / 2 in the ideal. Candidate at 1.6
// GHz: 1.25 x 0.2 = 0.25 lost.
TEST(LedgerDetails, ClockShowsMeasuredTimes) {
  roofline::MachineModel machine = test_machine();
  for (roofline::Ceiling& ceiling : machine.devices[0].ceilings) ceiling.clock_hz = 2e9;
  TinyRun baseline;
  baseline.kernel(2, "gemm_a", kBf16).clock(1.8e9);
  TinyRun candidate;
  candidate.kernel(1.25, "gemm_b", kFp8).clock(1.6e9);
  const analysis::Ledger ledger =
      analysis::explain_gap(baseline.analyze(machine), candidate.analyze(machine));
  expect_detail(detail(ledger, "clock", "gemm_a <1x1x1>"), 2, 1, kNotAvailable, -0.1);
  expect_detail(detail(ledger, "clock", "gemm_b <1x1x1>"), kNotAvailable, kNotAvailable, 1.25,
                0.25);
}

// gemm_a takes 4 with SOL time 2; my_kernel and idle time have no SOL time.
TEST(LedgerDetails, SingleRunHasSolTimeAndMeasuredTime) {
  TinyRun run;
  run.kernel(4, "gemm_a", kBf16).idle(1).kernel(1, "my_kernel");
  const analysis::Ledger ledger = analysis::explain_run(run.analyze());
  expect_detail(detail(ledger, "gemm", "gemm_a <1x1x1>"), kNotAvailable, 2, 4, 2);
  expect_detail(detail(ledger, "no_sol_time", "my_kernel <1x1x1>"), kNotAvailable, kNotAvailable, 1,
                1);
  expect_detail(detail(ledger, "idle_between_kernels", "idle: between kernels"), kNotAvailable,
                kNotAvailable, 1, 1);
}

std::vector<std::string> keys(const analysis::Table& table) {
  std::vector<std::string> keys;
  for (const analysis::Column& column : table.columns) keys.push_back(column.key);
  return keys;
}

TEST(LedgerDetails, TableLeavesUnavailableValuesEmpty) {
  TinyRun baseline;
  baseline.kernel(4, "gemm_a", kBf16);
  TinyRun candidate;
  candidate.kernel(0.5, "quantize_kernel").kernel(2, "gemm_b", kFp8);
  const analysis::Table gap =
      analysis::ledger_finding(analysis::explain_gap(baseline.analyze(), candidate.analyze()), "t")
          .tables.at(1);
  EXPECT_EQ(keys(gap), (std::vector<std::string>{"id", "name", "baseline_s", "ideal_s",
                                                 "candidate_s", "adds_s"}));
  bool found = false;
  for (const std::vector<analysis::Cell>& row : gap.rows) {
    if (row[0] != analysis::Cell(std::string("quantize"))) continue;
    found = true;
    EXPECT_EQ(row[2], analysis::Cell());
    EXPECT_EQ(row[3], analysis::Cell());
    EXPECT_NEAR(std::get<double>(row[4]), 0.5e-6, 1e-15);
  }
  EXPECT_TRUE(found);
  const analysis::Table one =
      analysis::ledger_finding(analysis::explain_run(candidate.analyze()), "t").tables.at(1);
  EXPECT_EQ(keys(one),
            (std::vector<std::string>{"id", "name", "ideal_s", "candidate_s", "adds_s"}));
  EXPECT_EQ(one.columns.at(2).label, "SOL time");
  EXPECT_EQ(one.columns.at(3).label, "measured");
}

// 4 of 5 of the kernel time have a SOL time, which is 2.
TEST(LedgerOfOneRun, HasTheShareWithSolTime) {
  TinyRun run;
  run.kernel(4, "gemm_a", kBf16).idle(1).kernel(1, "my_kernel");
  const analysis::Ledger ledger = analysis::explain_run(run.analyze());
  EXPECT_TRUE(ledger.work_known);
  EXPECT_NEAR(1e6 * ledger.measured_s, 6, 1e-9);
  EXPECT_NEAR(1e6 * ledger.kernel_s, 5, 1e-9);
  EXPECT_NEAR(1e6 * ledger.sol_kernel_s, 4, 1e-9);
  EXPECT_NEAR(1e6 * ledger.ideal_s, 2, 1e-9);
}

TEST(LedgerOfOneRun, HasNoSolTimeWithoutKnownWork) {
  TinyRun run;
  run.kernel(1, "my_kernel");
  const analysis::Finding finding =
      analysis::ledger_finding(analysis::explain_run(run.analyze()), "t");
  const analysis::Ledger& ledger = *finding.ledger;
  EXPECT_FALSE(ledger.work_known);
  EXPECT_NEAR(1e6 * ledger.measured_s, 1, 1e-9);
  EXPECT_EQ(ledger.sol_kernel_s, 0);
  EXPECT_NE(ledger.advice.find("--counters roofline"), std::string::npos) << ledger.advice;
  EXPECT_TRUE(finding.summary.starts_with(analysis::no_sol_text(ledger))) << finding.summary;
  EXPECT_EQ(finding.tables.at(0).rows.front().at(4), analysis::Cell())
      << "there is no SOL time, not one of zero";
}

// Other tools' files cannot be profiled again with --counters.
TEST(LedgerOfOneRun, AdviceDependsOnTheProfiler) {
  TinyRun run;
  run.kernel(1, "my_kernel");
  store::SessionInfo& session = run.profile().session;
  const auto expect_advice = [&](const char* words) {
    const analysis::Ledger ledger = analysis::explain_run(run.analyze());
    EXPECT_FALSE(ledger.work_known);
    EXPECT_EQ(ledger.advice.find("--counters"), std::string::npos) << ledger.advice;
    EXPECT_NE(ledger.advice.find(words), std::string::npos) << ledger.advice;
  };
  session.mansard_version = "1.0" + std::string(collector::kFromPyTorchProfiler);
  expect_advice("record_function()");
  session.mansard_version = "1.0" + std::string(collector::kFromNsightCompute);
  expect_advice("`mansard counters`");
  session.mansard_version.clear();
  session.state = store::RecordingState::foreign;
  expect_advice("nsys");
}

TEST(LedgerOfOneRun, HasNoSolTimeWithoutCeilings) {
  roofline::MachineModel machine = test_machine();
  machine.devices[0].ceilings.clear();
  TinyRun run;
  run.kernel(1, "gemm_a", kBf16);
  const analysis::Ledger ledger = analysis::explain_run(run.analyze(machine));
  EXPECT_TRUE(ledger.work_known);
  EXPECT_EQ(ledger.sol_kernel_s, 0);
  EXPECT_NE(ledger.advice.find("--machine"), std::string::npos) << ledger.advice;
  EXPECT_EQ(ledger.advice.find("--counters"), std::string::npos) << ledger.advice;
}

// The FLOPs of another_gemm are unknown, so its share is estimated from times. The advice on how to
// get FLOPs depends on the profilers.
TEST(Ledger, AdviceDependsOnTheProfilers) {
  TinyRun baseline;
  baseline.kernel(2, "gemm_a", kBf16).kernel(2, "gemm_head", kBf16);
  TinyRun candidate;
  candidate.kernel(1, "gemm_b", kFp8).kernel(2, "another_gemm", "precision=bf16 class=gemm");
  const auto notes = [&] {
    std::string all;
    for (const std::string& note :
         analysis::explain_gap(baseline.analyze(), candidate.analyze()).notes) {
      all += note + "\n";
    }
    return all;
  };
  EXPECT_NE(notes().find("--counters roofline"), std::string::npos) << notes();
  baseline.profile().session.state = store::RecordingState::foreign;
  candidate.profile().session.state = store::RecordingState::foreign;
  EXPECT_NE(notes().find("estimated from times"), std::string::npos) << notes();
  EXPECT_EQ(notes().find("--counters"), std::string::npos) << notes();
}

}  // namespace
}  // namespace mansard::test
