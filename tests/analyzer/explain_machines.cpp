// SPDX-License-Identifier: Apache-2.0
// The ratio of ceilings of two runs on different GPUs. Runs and units: tiny_run.h.
#include <gtest/gtest.h>

#include "tests/analyzer/tiny_run.h"

namespace mansard::test {
namespace {

// Another GPU: BF16 2.5e12 and FP8 5e12 FLOP/s.
roofline::MachineModel big_machine(const std::string& name = "Big GPU") {
  roofline::MachineModel machine = test_machine();
  roofline::DeviceModel& gpu = machine.devices[0];
  gpu.device.name = name;
  gpu.device.uuid = "GPU-2";
  gpu.ceilings[0].value = 2.5e12;
  gpu.ceilings[1].value = 5e12;
  return machine;
}

void put_on(TinyRun& run, const std::string& name) {
  run.profile().gpus.front().name = name;
  run.profile().gpus.front().uuid = "GPU-2";
}

std::string notes_of(const analysis::Ledger& ledger) {
  std::string all;
  for (const std::string& note : ledger.notes) all += note + "\n";
  return all;
}

TinyRun bf16_run(double gemm_us, double softmax_us) {
  TinyRun run;
  run.kernel(gemm_us, "gemm_a", kBf16).kernel(softmax_us, "softmax_kernel");
  return run;
}

// R = 2.5: 5 / 2.5 = 2. Softmax: 1 (1 - 1/2.5) = 0.6 and 0.5 - 1 = -0.5. GEMMs: SOL times 2 and 0.8
// have the ratio R; efficiency: (1 - 0.8) - (4 - 2) / 2.5 = -0.6. 2 + 0.6 - 0.5 - 0.6 = 1.5.
TEST(LedgerOfTwoGpus, UsesTheRatioOfTheMachines) {
  TinyRun baseline = bf16_run(4, 1);
  TinyRun candidate = bf16_run(1, 0.5);
  put_on(candidate, "Big GPU");
  const analysis::Ledger ledger =
      analysis::explain_gap(baseline.analyze(), candidate.analyze(big_machine()));
  EXPECT_DOUBLE_EQ(ledger.ceiling_ratio, 2.5);
  EXPECT_EQ(ledger.ratio_source, "BF16 on Big GPU 2.50 TFLOP/s over BF16 on Test GPU 1.00 TFLOP/s");
  EXPECT_NEAR(1e6 * ledger.ideal_s, 2, 1e-9);
  EXPECT_NEAR(time_us(ledger, "non_gemm"), 0.6, 1e-9);
  EXPECT_NEAR(time_us(ledger, "gemm_efficiency"), -0.6, 1e-9);
  EXPECT_NEAR(time_us(ledger, "softmax"), -0.5, 1e-9);
  EXPECT_EQ(find(ledger, "gemm_memory_bound"), nullptr);
  EXPECT_EQ(find(ledger, "high_precision_gemms"), nullptr);
  EXPECT_NEAR(ledger.residual_s(), 0, 1e-18);
  EXPECT_NE(notes_of(ledger).find("different GPUs: baseline on Test GPU, candidate on Big GPU"),
            std::string::npos)
      << notes_of(ledger);
}

TEST(LedgerOfTwoGpus, MachineModelsDistinguishGpusWithOneName) {
  TinyRun baseline = bf16_run(4, 1);
  TinyRun candidate = bf16_run(1, 0.5);
  put_on(candidate, "Test GPU");
  const analysis::Ledger ledger =
      analysis::explain_gap(baseline.analyze(), candidate.analyze(big_machine("Test GPU")));
  EXPECT_DOUBLE_EQ(ledger.ceiling_ratio, 2.5);
  EXPECT_NE(notes_of(ledger).find("different machine models of Test GPU"), std::string::npos)
      << notes_of(ledger);
}

TEST(LedgerOfTwoGpus, NotesTheMissingCeiling) {
  TinyRun baseline = bf16_run(4, 1);
  TinyRun candidate = bf16_run(1, 0.5);
  put_on(candidate, "Big GPU");
  roofline::MachineModel machine = big_machine();
  std::erase_if(machine.devices[0].ceilings,
                [](const roofline::Ceiling& c) { return c.precision == Precision::bf16; });
  const analysis::Ledger ledger =
      analysis::explain_gap(baseline.analyze(), candidate.analyze(machine));
  EXPECT_DOUBLE_EQ(ledger.ceiling_ratio, 1);
  EXPECT_NE(notes_of(ledger).find("has no ceiling for BF16"), std::string::npos)
      << notes_of(ledger);
  EXPECT_NE(notes_of(ledger).find("--ceiling-ratio"), std::string::npos) << notes_of(ledger);
  EXPECT_NEAR(ledger.residual_s(), 0, 1e-18);
  // A given ratio applies to all GEMMs, like the ratio of the ceilings.
  analysis::ExplainOptions options;
  options.ceiling_ratio = 2.5;
  const analysis::Ledger given =
      analysis::explain_gap(baseline.analyze(), candidate.analyze(machine), options);
  EXPECT_NEAR(1e6 * given.ideal_s, 2, 1e-9);
  EXPECT_EQ(find(given, "high_precision_gemms"), nullptr);
  EXPECT_NE(notes_of(given).find("different GPUs"), std::string::npos) << notes_of(given);
}

TEST(LedgerOfTwoGpus, NotesAnUnknownPrecision) {
  TinyRun baseline;
  baseline.kernel(1, "my_kernel");
  TinyRun candidate;
  candidate.kernel(1, "my_kernel");
  put_on(candidate, "Big GPU");
  const analysis::Ledger ledger =
      analysis::explain_gap(baseline.analyze(), candidate.analyze(big_machine()));
  EXPECT_DOUBLE_EQ(ledger.ceiling_ratio, 1);
  EXPECT_NE(notes_of(ledger).find("precision of the baseline's GEMMs is unknown"),
            std::string::npos)
      << notes_of(ledger);
}

// FP8 on Big GPU / BF16 on Test GPU: 5.
TEST(LedgerOfTwoGpus, NotesThatTheRatioIncludesMachinesAndPrecisions) {
  TinyRun baseline = bf16_run(4, 1);
  TinyRun candidate;
  candidate.kernel(1, "gemm_b", kFp8).kernel(1, "softmax_kernel");
  put_on(candidate, "Big GPU");
  const analysis::Ledger ledger =
      analysis::explain_gap(baseline.analyze(), candidate.analyze(big_machine()));
  EXPECT_DOUBLE_EQ(ledger.ceiling_ratio, 5);
  EXPECT_EQ(ledger.ratio_source,
            "FP8 E4M3 on Big GPU 5.00 TFLOP/s over BF16 on Test GPU 1.00 TFLOP/s");
  EXPECT_NE(notes_of(ledger).find("includes the difference between the machines"),
            std::string::npos)
      << notes_of(ledger);
}

// Without the clocks of the ceilings, the clocks of two GPU models are not comparable.
TEST(LedgerOfTwoGpus, DoesNotCompareTheirClocks) {
  TinyRun baseline = bf16_run(4, 1);
  baseline.clock(2e9);
  TinyRun candidate = bf16_run(1, 0.5);
  candidate.clock(1e9);
  put_on(candidate, "Big GPU");
  const analysis::Ledger ledger =
      analysis::explain_gap(baseline.analyze(), candidate.analyze(big_machine()));
  EXPECT_EQ(find(ledger, "clock"), nullptr);
  EXPECT_NE(notes_of(ledger).find("clocks of the two GPUs are not compared"), std::string::npos)
      << notes_of(ledger);
}

TEST(LedgerOfTwoGpus, NoNoteForOneGpu) {
  TinyRun baseline = bf16_run(4, 1);
  TinyRun candidate = bf16_run(5, 1);
  const analysis::Ledger ledger = analysis::explain_gap(baseline.analyze(), candidate.analyze());
  EXPECT_DOUBLE_EQ(ledger.ceiling_ratio, 1);
  EXPECT_EQ(notes_of(ledger).find("different"), std::string::npos) << notes_of(ledger);
}

}  // namespace
}  // namespace mansard::test
