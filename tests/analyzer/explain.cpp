// SPDX-License-Identifier: Apache-2.0
// Lines of the ledgers of tiny runs; their details: explain_details.cpp.
#include <cmath>
#include <random>
#include <stdexcept>

#include <gtest/gtest.h>

#include "tests/analyzer/tiny_run.h"

namespace mansard::test {
namespace {

// R = 2. Baseline: 4 (GEMM, T_sol 2) + 3 + 1 idle = 8, ideal 4. Candidate: 2.5 (GEMM, T_sol 1) +
// 0.5
// + 3 + 1 = 7. Non-GEMM time: (3 + 1) (1 - 1/2) = 2. GEMM efficiency: (2.5 - 1) - (4 - 2) / 2 =
// 0.5. Quantize: 0.5. 4 + 2 + 0.5 + 0.5 = 7.
TEST(Ledger, AddsUpFromTheIdealToTheMeasuredStep) {
  TinyRun baseline;
  baseline.kernel(4, "gemm_a", kBf16).idle(1).kernel(3, "softmax_kernel");
  TinyRun candidate;
  candidate.kernel(0.5, "quantize_kernel").kernel(2.5, "gemm_b", kFp8).idle(1);
  candidate.kernel(3, "softmax_kernel");
  const analysis::Ledger ledger = analysis::explain_gap(baseline.analyze(), candidate.analyze());
  EXPECT_DOUBLE_EQ(ledger.ceiling_ratio, 2);
  EXPECT_NEAR(1e6 * ledger.ideal_s, 4, 1e-9);
  EXPECT_NEAR(1e6 * ledger.measured_s, 7, 1e-9);
  EXPECT_NEAR(time_us(ledger, "non_gemm"), 2, 1e-9);
  EXPECT_NEAR(time_us(ledger, "gemm_memory_bound"), 0, 1e-9);
  EXPECT_NEAR(time_us(ledger, "gemm_efficiency"), 0.5, 1e-9);
  EXPECT_NEAR(time_us(ledger, "quantize"), 0.5, 1e-9);
  EXPECT_EQ(find(ledger, "high_precision_gemms"), nullptr);
  EXPECT_NEAR(ledger.residual_s(), 0, 1e-18);
}

TEST(Ledger, LargestLinesAndTheSumOfTheOthersAddUpToTheSameStep) {
  analysis::Ledger ledger;
  ledger.ideal_s = 10;
  const auto add = [&](const char* id, double time_s) {
    analysis::LedgerLine& line = ledger.lines.emplace_back();
    line.id = line.label = id;
    line.time_s = time_s;
  };
  add("a", 1);
  add("b", -4);
  add("c", 0.5);
  add("d", 3);
  add("e", -0.25);
  ledger.measured_s = 10.25;
  const analysis::Ledger largest = analysis::with_largest_lines(ledger, 2);
  ASSERT_EQ(largest.lines.size(), 3u);
  EXPECT_EQ(largest.lines[0].id, "b");  // in their order
  EXPECT_EQ(largest.lines[1].id, "d");
  EXPECT_EQ(largest.lines[2].label, "3 smaller causes");
  EXPECT_NEAR(largest.lines[2].time_s, 1.25, 1e-12);
  ASSERT_EQ(largest.lines[2].details.size(), 3u);
  EXPECT_EQ(largest.lines[2].details[0].label, "a");
  EXPECT_EQ(largest.lines[2].details[2].label, "e");
  EXPECT_NEAR(largest.residual_s(), 0, 1e-12);
  EXPECT_EQ(analysis::with_largest_lines(ledger, 5).lines.back().id, "e");
  EXPECT_EQ(analysis::with_largest_lines(ledger, 4).lines.back().id, "e");  // one is not gathered
}

// Half of the GEMM time stays in BF16, in the same kernel: 2 (1 - 1/2) = 1.
TEST(Ledger, ListsHighPrecisionGemms) {
  TinyRun baseline;
  baseline.kernel(2, "gemm_a", kBf16).kernel(2, "gemm_head", kBf16);
  TinyRun candidate;
  candidate.kernel(1, "gemm_b", kFp8).kernel(2, "gemm_head", kBf16);
  const analysis::Ledger ledger = analysis::explain_gap(baseline.analyze(), candidate.analyze());
  EXPECT_NEAR(time_us(ledger, "high_precision_gemms"), 1, 1e-9);
  EXPECT_NEAR(time_us(ledger, "high_precision_gemms_changed"), 0, 1e-9);
  EXPECT_NEAR(time_us(ledger, "gemm_efficiency"), 0, 1e-9);
  EXPECT_NEAR(ledger.residual_s(), 0, 1e-18);
}

// The high-precision GEMM is a different kernel in the candidate, 0.5 slower. It has half of the
// FLOPs, so the line is again 1, and the 0.5 is a separate line.
TEST(Ledger, FindsHighPrecisionGemmsByFlops) {
  TinyRun baseline;
  baseline.kernel(2, "gemm_a", kBf16).kernel(2, "gemm_head", kBf16);
  TinyRun candidate;
  candidate.kernel(1, "gemm_b", kFp8).kernel(2.5, "another_gemm", kBf16);
  const analysis::Ledger ledger = analysis::explain_gap(baseline.analyze(), candidate.analyze());
  EXPECT_NEAR(time_us(ledger, "high_precision_gemms"), 1, 1e-9);
  EXPECT_NEAR(time_us(ledger, "high_precision_gemms_changed"), 0.5, 1e-9);
  EXPECT_NEAR(ledger.residual_s(), 0, 1e-18);
}

// 15 kB take at least 1.5: compute-bound in BF16 (2), memory-bound in FP8 (1.5, not 1).
TEST(Ledger, ListsGemmsThatAreNowMemoryBound) {
  TinyRun baseline;
  baseline.kernel(2, "gemm_a", std::string(kBf16) + " hbm=15000");
  TinyRun candidate;
  candidate.kernel(1.5, "gemm_b", std::string(kFp8) + " hbm=15000");
  const analysis::Ledger ledger = analysis::explain_gap(baseline.analyze(), candidate.analyze());
  EXPECT_NEAR(time_us(ledger, "gemm_memory_bound"), 0.5, 1e-9);
  EXPECT_NEAR(time_us(ledger, "gemm_efficiency"), 0, 1e-9);
}

// Ceilings at 2 GHz. The candidate's GEMM takes 1.25 at 1.6 GHz, which is 1 at 2 GHz: the clock
// costs 0.25. The baseline ran at 2 GHz.
TEST(Ledger, SeparatesTheCostOfTheClock) {
  roofline::MachineModel machine = test_machine();
  for (roofline::Ceiling& ceiling : machine.devices[0].ceilings) ceiling.clock_hz = 2e9;
  TinyRun baseline;
  baseline.kernel(2, "gemm_a", kBf16).clock(2e9);
  TinyRun candidate;
  candidate.kernel(1.25, "gemm_b", kFp8).clock(1.6e9);
  const analysis::Ledger ledger =
      analysis::explain_gap(baseline.analyze(machine), candidate.analyze(machine));
  EXPECT_NEAR(time_us(ledger, "clock"), 0.25, 1e-9);
  EXPECT_NEAR(time_us(ledger, "gemm_efficiency"), 0, 1e-9);
  EXPECT_NEAR(ledger.residual_s(), 0, 1e-18);
}

// One precision, and unknown clocks of the ceilings: the candidate's GEMM takes 2.5 at 1.6 GHz, the
// baseline's 2 at 2 GHz. Relative to 2 GHz, the clock costs 0.5.
TEST(Ledger, SeparatesTheCostOfTheClockWithinOnePrecision) {
  TinyRun baseline;
  baseline.kernel(2, "gemm_a", kBf16).clock(2e9);
  TinyRun candidate;
  candidate.kernel(2.5, "gemm_a", kBf16).clock(1.6e9);
  const analysis::Ledger ledger = analysis::explain_gap(baseline.analyze(), candidate.analyze());
  EXPECT_NEAR(time_us(ledger, "clock"), 0.5, 1e-9);
  EXPECT_NEAR(time_us(ledger, "high_precision_gemms_changed"), 0, 1e-9);
  EXPECT_NEAR(ledger.residual_s(), 0, 1e-18);
}

TEST(Ledger, UsesAGivenRatio) {
  TinyRun baseline;
  baseline.kernel(4, "gemm_a", kBf16);
  TinyRun candidate;
  candidate.kernel(2, "gemm_b", kFp8);
  analysis::ExplainOptions options;
  options.ceiling_ratio = 4;
  const analysis::Ledger ledger =
      analysis::explain_gap(baseline.analyze(), candidate.analyze(), options);
  EXPECT_NEAR(1e6 * ledger.ideal_s, 1, 1e-9);
  EXPECT_NEAR(ledger.residual_s(), 0, 1e-18);
}

// Without a lower precision R is 1, and the lines are the differences of the two steps.
TEST(Ledger, ComparesTwoRunsOfOnePrecision) {
  TinyRun baseline;
  baseline.kernel(4, "gemm_a", kBf16).kernel(1, "softmax_kernel");
  TinyRun candidate;
  candidate.kernel(5, "gemm_a", kBf16).kernel(1, "softmax_kernel");
  const analysis::Ledger ledger = analysis::explain_gap(baseline.analyze(), candidate.analyze());
  EXPECT_DOUBLE_EQ(ledger.ceiling_ratio, 1);
  ASSERT_EQ(ledger.lines.size(), 1u);
  EXPECT_NEAR(time_us(ledger, "high_precision_gemms_changed"), 1, 1e-9);
}

TEST(Ledger, NotesDifferentWork) {
  TinyRun baseline;
  baseline.kernel(4, "gemm_a", kBf16);
  TinyRun candidate;
  candidate.kernel(2, "gemm_b", "flop=1e6 precision=fp8_e4m3 class=gemm");
  std::string notes;
  for (const std::string& note :
       analysis::explain_gap(baseline.analyze(), candidate.analyze()).notes) {
    notes += note + "\n";
  }
  EXPECT_NE(notes.find("2.00 MFLOP"), std::string::npos) << notes;
  EXPECT_NE(notes.find("1.00 MFLOP"), std::string::npos) << notes;
}

TEST(Ledger, NeedsACeilingForEachPrecision) {
  roofline::MachineModel machine = test_machine();
  std::erase_if(machine.devices[0].ceilings,
                [](const roofline::Ceiling& c) { return c.precision == Precision::fp8_e4m3; });
  TinyRun baseline;
  baseline.kernel(4, "gemm_a", kBf16);
  TinyRun candidate;
  candidate.kernel(2, "gemm_b", kFp8);
  try {
    analysis::explain_gap(baseline.analyze(machine), candidate.analyze(machine));
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("no ceiling for FP8 E4M3"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("--ceiling-ratio"), std::string::npos);
  }
}

TEST(Ledger, NeedsKernels) {
  TinyRun empty;
  EXPECT_THROW(analysis::explain_run(empty.analyze()), std::invalid_argument);
}

// GEMM 4 (T_sol 2), 1 of unknown work, 1 idle: 2 + (4 - 2) + 1 + 1 = 6.
TEST(LedgerOfOneRun, AddsUpFromTheSpeedOfLight) {
  TinyRun run;
  run.kernel(4, "gemm_a", kBf16).idle(1).kernel(1, "my_kernel");
  const analysis::Ledger ledger = analysis::explain_run(run.analyze());
  EXPECT_NEAR(1e6 * ledger.ideal_s, 2, 1e-9);
  EXPECT_NEAR(1e6 * ledger.measured_s, 6, 1e-9);
  EXPECT_NEAR(time_us(ledger, "gemm"), 2, 1e-9);
  EXPECT_NEAR(time_us(ledger, "no_sol_time"), 1, 1e-9);
  EXPECT_NEAR(time_us(ledger, "idle_between_kernels"), 1, 1e-9);
  EXPECT_NEAR(ledger.residual_s(), 0, 1e-18);
}

// Two ranks: a collective at 0-100 ns on the first, and at 60-100 ns on the second, which is late.
// The step is the mean of both devices, (100 + 40) / 2 ns; waiting is 60 / 2.
TEST(LedgerOfOneRun, SeparatesWaitingForRanksFromTransfer) {
  ProfileBuilder builder;
  builder.kernel(0, 100, "ncclDevKernel_AllReduce_Sum_bf16_RING_LL");
  builder.kernel(60, 100, "ncclDevKernel_AllReduce_Sum_bf16_RING_LL").device_id = 1;
  const analysis::Ledger ledger =
      analysis::explain_run(analysis::analyze_run(builder.build(), {test_machine()}));
  EXPECT_NEAR(1e3 * time_us(ledger, "rank_wait"), 30, 1e-9);
  EXPECT_NEAR(1e3 * time_us(ledger, "communication"), 40, 1e-9);
  EXPECT_NEAR(1e9 * ledger.measured_s, 70, 1e-9);
  EXPECT_NEAR(ledger.residual_s(), 0, 1e-18);
}

TEST(Ledger, LinesAreTheSumOfTheirDetails) {
  std::mt19937 random(11);
  const auto number = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  const char* names[] = {"softmax_kernel", "quantize_kernel",         "amax_kernel",
                         "my_kernel",      "ncclDevKernel_AllReduce", "transpose_kernel"};
  for (int round = 0; round < 40; ++round) {
    TinyRun runs[2];
    for (TinyRun& run : runs) {
      run.kernel(number(1, 9), "gemm_always", kBf16);
      for (int i = number(0, 30); i > 0; --i) {
        if (number(0, 2) == 0) {
          run.kernel(0.1 * number(1, 50), number(0, 1) ? "gemm_a" : "gemm_b",
                     number(0, 1) ? kBf16 : kFp8);
        } else {
          run.kernel(0.1 * number(1, 30), names[number(0, 5)]);
        }
        run.idle(0.1 * number(0, 5));
      }
    }
    const analysis::Ledger ledger = analysis::explain_gap(runs[0].analyze(), runs[1].analyze());
    EXPECT_LT(std::fabs(ledger.residual_s()), 1e-12 * ledger.measured_s) << round;
    const analysis::Ledger alone = analysis::explain_run(runs[1].analyze());
    EXPECT_LT(std::fabs(alone.residual_s()), 1e-12 * alone.measured_s) << round;
    for (const analysis::LedgerLine& line : ledger.lines) {
      double details_s = 0;
      for (const analysis::LedgerDetail& detail : line.details) details_s += detail.adds_s;
      EXPECT_NEAR(details_s, line.time_s, 1e-15) << line.id;
    }
  }
}

// The displayed rows add up to the measured step.
TEST(Ledger, TableEndsAtTheMeasuredStep) {
  TinyRun baseline;
  baseline.kernel(4, "gemm_a", kBf16).kernel(1, "softmax_kernel");
  TinyRun candidate;
  candidate.kernel(2.5, "gemm_b", kFp8).kernel(1, "softmax_kernel");
  const analysis::Finding finding =
      analysis::ledger_finding(analysis::explain_gap(baseline.analyze(), candidate.analyze()), "t");
  const analysis::Table& table = finding.tables.at(0);
  ASSERT_GE(table.rows.size(), 3u);
  const auto number = [](const analysis::Cell& cell) { return std::get<double>(cell); };
  const auto& last_line = table.rows[table.rows.size() - 2];
  EXPECT_NEAR(number(last_line[4]), number(table.rows.back()[4]), 1e-15);
  // The ideal is 5 / 2 = 2.5, and the measured step 5 / 3.5 times as fast as the baseline.
  EXPECT_EQ(table.rows.front().at(0), analysis::Cell(std::string("ideal")));
  EXPECT_NEAR(number(table.rows.front()[4]), 2.5e-6, 1e-15);
  EXPECT_EQ(table.rows.back().at(0), analysis::Cell(std::string("measured")));
  EXPECT_NEAR(number(table.rows.back()[4]), 3.5e-6, 1e-15);
  EXPECT_NEAR(number(table.rows.back()[5]), 5 / 3.5, 1e-9);
  ASSERT_NE(finding.ledger, nullptr);
  EXPECT_NEAR(1e6 * finding.ledger->baseline_s, 5, 1e-9);
  EXPECT_DOUBLE_EQ(finding.ledger->ceiling_ratio, 2);
}

}  // namespace
}  // namespace mansard::test
