// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include <gtest/gtest.h>

#include "analyzer/device_energy.h"
#include "tests/analyzer/profile_builder.h"
#include "tests/analyzer/table_cells.h"

namespace mansard::test {
namespace {

constexpr std::int64_t kFirst = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kLast = std::numeric_limits<std::int64_t>::max();

void add_power(ProfileBuilder& b, std::int64_t time_ns, double power_w, bool instant = true) {
  store::DeviceStateSample& sample = b.profile().device_states.emplace_back();
  sample.timestamp_ns = time_ns;
  sample.power_w = power_w;
  sample.power_is_instant = instant;
}

// 100 W at 0 s, 300 W at 1 s, 300 W at 2 s: 200 J and 300 J. A kernel from 0.5 s to 2 s: half of
// the first second is idle.
ProfileBuilder three_samples() {
  ProfileBuilder b;
  b.launch(0, kSecond / 2, 2 * kSecond, "my_gemm");
  add_power(b, 0, 100);
  add_power(b, kSecond, 300);
  add_power(b, 2 * kSecond, 300);
  return b;
}

analysis::Finding energy(const store::Profile& profile,
                         const analysis::AnalysisOptions& options = {}) {
  return analysis::analysis_registry().find("energy")->run(
      analysis::analyze_run(profile, {}, options));
}

TEST(Energy, IsPowerOverTimeWithAnIdlePart) {
  const std::vector<analysis::DeviceEnergy> all =
      analysis::device_energy(three_samples().build(), kFirst, kLast);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_NEAR(all[0].energy_j, 500, 1e-9);
  EXPECT_NEAR(all[0].covered_s, 2, 1e-12);
  EXPECT_NEAR(all[0].idle_s, 0.5, 1e-12);
  EXPECT_NEAR(all[0].idle_energy_j, 100, 1e-9);  // half of the first second's 200 J
  EXPECT_FALSE(all[0].power_is_mean);
}

TEST(Energy, SamplingPausesAreIgnored) {
  ProfileBuilder b = three_samples();
  add_power(b, 3 * kSecond, 300);
  add_power(b, 13 * kSecond, 300, false);  // ten times the usual distance
  const std::vector<analysis::DeviceEnergy> all = analysis::device_energy(b.build(), kFirst, kLast);
  EXPECT_NEAR(all[0].energy_j, 800, 1e-9);
  EXPECT_NEAR(all[0].covered_s, 3, 1e-12);
  EXPECT_TRUE(all[0].power_is_mean);
}

TEST(Energy, OverlappingKernelsCountOnce) {
  ProfileBuilder b = three_samples();
  b.launch(1, kSecond / 2, kSecond, "another");
  EXPECT_NEAR(analysis::device_energy(b.build(), kFirst, kLast)[0].idle_s, 0.5, 1e-12);
}

// A graph recorded as a whole from 0 s to 0.5 s, before the kernel: the GPU is never idle.
TEST(Energy, AGraphRecordedAsAWholeIsNotIdle) {
  ProfileBuilder b = three_samples();
  store::GraphRecord& graph = b.profile().graphs.emplace_back();
  graph.device_id = 0;
  graph.start_ns = 0;
  graph.end_ns = kSecond / 2;
  const analysis::DeviceEnergy energy = analysis::device_energy(b.build(), kFirst, kLast)[0];
  EXPECT_NEAR(energy.idle_s, 0, 1e-12);
  EXPECT_NEAR(energy.idle_energy_j, 0, 1e-9);
}

TEST(Energy, PerStepAndToken) {
  // Two steps of 1 s at a mean of 250 W: 250 J each, 2.5 J per token with 100 tokens.
  ProfileBuilder b;
  for (int i = 0; i < 2; ++i) {
    b.range(i * kSecond, (i + 1) * kSecond - 1, "step " + std::to_string(i));
    b.launch(i * kSecond, i * kSecond, (i + 1) * kSecond, "my_gemm");
  }
  for (int i = 0; i < 10; ++i) add_power(b, kSecond / 10 + i * kSecond / 5, i % 2 == 0 ? 200 : 300);
  const analysis::Finding finding = energy(b.build(), {.tokens_per_step = 100});
  ASSERT_EQ(finding.tables.size(), 2u);
  EXPECT_NEAR(number(finding.tables[0], 0, "step_s"), 1, 1e-6);
  EXPECT_NEAR(number(finding.tables[0], 0, "energy_j"), 250, 1e-9);
  EXPECT_NEAR(number(finding.tables[0], 0, "power_w"), 250, 1e-9);
  EXPECT_NEAR(number(finding.tables[0], 0, "token_energy_j"), 2.5, 1e-12);
}

TEST(Energy, FewSamplesWithinStepsGiveNoEnergyPerStep) {
  ProfileBuilder b = three_samples();
  b.range(0, kSecond, "step 0");
  b.range(kSecond, 2 * kSecond, "step 1");
  b.launch(kSecond + 1, 2 * kSecond, 3 * kSecond, "my_gemm");
  const analysis::Finding finding = energy(b.build());
  ASSERT_EQ(finding.tables.size(), 2u);
  EXPECT_EQ(finding.tables[0].id, "energy_per_step");
  EXPECT_EQ(cell(finding.tables[0], 0, "energy_j"), analysis::Cell());
  EXPECT_EQ(cell(finding.tables[0], 0, "power_w"), analysis::Cell());
}

TEST(Energy, NotAvailableWithoutSamples) {
  ProfileBuilder b;
  b.launch(0, 0, kSecond, "my_gemm");
  EXPECT_TRUE(energy(b.build()).tables.empty());
  add_power(b, 0, 100);  // one sample has no duration
  EXPECT_TRUE(energy(b.build()).tables.empty());
  const analysis::Finding without_steps = energy(three_samples().build());
  ASSERT_EQ(without_steps.tables.size(), 1u) << "none per step";
  EXPECT_EQ(without_steps.tables[0].id, "energy");
}

}  // namespace
}  // namespace mansard::test
