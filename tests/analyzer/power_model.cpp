// SPDX-License-Identifier: Apache-2.0
// The clock at the power limit after a change of a step's work. Expected values are derived by
// hand.
#include "analyzer/power_model.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include "analyzer/advice/advice.h"
#include "analyzer/explain/ledger.h"
#include "analyzer/what_if.h"
#include "tests/analyzer/profile_builder.h"

namespace mansard::test {
namespace {

constexpr std::uint64_t kSoftwarePowerCap = 0x4;

struct Part {
  std::string kernel;  // empty: idle
  std::int64_t ns;
};

// Four steps of the same kernels without gaps, at 1.5 of 2 GHz and 700 W.
analysis::RunAnalysis limited(const std::vector<Part>& parts,
                              std::uint64_t reasons = kSoftwarePowerCap, int samples = 8) {
  ProfileBuilder b;
  std::int64_t now = 0;
  for (int i = 0; i < 4; ++i) {
    std::int64_t length = 0;
    for (const Part& part : parts) length += part.ns;
    b.range(now, now + length - 1, "step " + std::to_string(i));
    const std::int64_t start = now;
    for (const Part& part : parts) {
      if (!part.kernel.empty()) b.launch(start, now, now + part.ns, part.kernel);
      now += part.ns;
    }
  }
  b.profile().gpus.front().clock_rate_hz = 2'000'000'000;
  for (int i = 0; i < samples; ++i) {
    store::DeviceStateSample& s = b.profile().device_states.emplace_back();
    s.timestamp_ns = now * i / samples;
    s.sm_clock_hz = 1.5e9;
    s.power_w = 700;
    s.clocks_event_reasons = reasons;
  }
  return analysis::analyze_run(b.build(), {});
}

analysis::PredictedStep predicted(const analysis::RunAnalysis& run, const std::string& kernel,
                                  analysis::RowChange change) {
  const analysis::RunUnit unit(run);
  std::vector<analysis::RowChange> changes(run.rows.size());
  for (std::size_t i = 0; i < run.rows.size(); ++i) {
    if (run.rows[i].name == kernel) changes[i] = change;
  }
  return analysis::PowerModel(run, unit).predict(changes);
}

TEST(PowerModel, RemovingKernelsWithMeanPowerKeepsTheClock) {
  // Both are GEMMs: without one, the other still uses the limit.
  const analysis::PredictedStep step = predicted(
      limited({{"gemm_a", 600'000}, {"gemm_b", 400'000}}), "gemm_b", {.time = 0, .energy = 0});
  EXPECT_NEAR(step.time_s, 600e-6, 1e-9);
  ASSERT_TRUE(step.clock_hz);
  EXPECT_NEAR(*step.clock_hz, 1.5e9, 1e3);
}

TEST(PowerModel, TheSameWorkInHalfTheTimeLowersTheClock) {
  // All dynamic energy is that of GEMMs: x^1.5 = 0.5 / x, so x = 0.5^0.4, and the step takes
  // 0.5 / x = 0.5^0.6 of 1 ms.
  const analysis::PredictedStep step =
      predicted(limited({{"gemm_a", 1'000'000}}), "gemm_a", {.time = 0.5, .energy = 1});
  EXPECT_NEAR(step.time_s, 1e-3 * std::pow(0.5, 0.6), 1e-9);
  EXPECT_NEAR(*step.clock_hz, 1.5e9 * std::pow(0.5, 0.4), 1e3);
}

// 0.7 ms of GEMM and a kernel with the power of a memset.
analysis::RunAnalysis with_memset(std::int64_t memset_ns) {
  std::vector<Part> parts = {{"gemm_a", 700'000}};
  if (memset_ns > 0) parts.push_back({"memset_like", memset_ns});
  analysis::RunAnalysis run = limited(parts);
  for (analysis::KernelRow& row : run.rows) {
    if (row.name != "gemm_a") row.operation_class = analysis::kMemsetClass;
  }
  return run;
}

TEST(PowerModel, WithoutAMemoryBoundKernelTheClockFalls) {
  // A memset uses 0.56 of the limit at any clock: its dynamic power of 0.41 is that of the memory.
  // It takes 0.3 ms of a step of 1 ms: GEMMs use 0.85 - 0.3 x 0.41 = 0.727 in 0.7 ms. Without the
  // memset 0.727 x^1.5 = 0.85 x 0.7 / x: x^2.5 = 0.595 / 0.727.
  const analysis::PredictedStep step =
      predicted(with_memset(300'000), "memset_like", {.time = 0, .energy = 0});
  const double x = std::pow(0.595 / 0.727, 0.4);
  EXPECT_NEAR(*step.clock_hz, 1.5e9 * x, 1e4);
  EXPECT_NEAR(step.time_s, 0.7e-3 / x, 1e-9);
  EXPECT_LT(step.low_s, step.time_s);
  EXPECT_GT(step.high_s, step.time_s);
}

TEST(PowerModel, TheClockIsAtMostTheMaximum) {
  // Hardly any work is left: the clock rises to 2 GHz.
  const analysis::PredictedStep step =
      predicted(limited({{"gemm_a", 1'000'000}}), "gemm_a", {.time = 1, .energy = 0.01});
  EXPECT_NEAR(*step.clock_hz, 2e9, 1e3);
  EXPECT_NEAR(step.time_s, 1e-3 * 1.5 / 2, 1e-9);
}

TEST(PowerModel, BelowThePowerLimitTheClockStays) {
  for (const analysis::RunAnalysis& run :
       {limited({{"gemm_a", 600'000}, {"softmax", 400'000}}, 0),        // held down by nothing
        limited({{"gemm_a", 600'000}, {"softmax", 400'000}}, 0x20),     // by heat
        limited({{"gemm_a", 600'000}, {"softmax", 400'000}}, 4, 4)}) {  // hardly sampled
    const analysis::PredictedStep step = predicted(run, "softmax", {.time = 0, .energy = 0});
    EXPECT_FALSE(step.clock_hz);
    EXPECT_NEAR(step.time_s, 600e-6, 1e-9);
    EXPECT_FALSE(analysis::PowerModel(run, analysis::RunUnit(run)).why().empty());
  }
}

// As above, the dynamic energy of the GEMM is 0.727 of the limit x 1 ms; the static power is 0.15.
TEST(PowerModel, EnergyByClassAddsUpToTheSampledPower) {
  const analysis::RunAnalysis run = with_memset(300'000);
  const analysis::RunUnit unit(run);
  const std::optional<analysis::UnitEnergy> energy = analysis::PowerModel(run, unit).energy();
  ASSERT_TRUE(energy);
  double sum_j = energy->idle_j;
  for (std::size_t i = 0; i < run.rows.size(); ++i) {
    const double expected_j =
        run.rows[i].name == "gemm_a" ? 0.7 * (0.7 * 0.15 + 0.727) : 0.7 * 0.3 * (0.15 + 0.41);
    EXPECT_NEAR(energy->row_j[i], expected_j, 1e-9) << run.rows[i].name;
    sum_j += energy->row_j[i];
  }
  EXPECT_NEAR(sum_j, 0.7, 1e-9);  // 700 W for 1 ms
  const analysis::RunAnalysis free = limited({{"gemm_a", 1'000'000}}, 0);
  EXPECT_FALSE(analysis::PowerModel(free, analysis::RunUnit(free)).energy());
}

// The candidate adds the memset of 0.3 ms. Without it the clock falls to x, as above, and the GEMM
// takes 0.7 / x: the saving is less than 0.3 ms by the difference.
TEST(PowerModel, TheLedgerIncludesTheClock) {
  const double change_s = 0.7e-3 * (std::pow(0.727 / 0.595, 0.4) - 1);
  ASSERT_GT(change_s, 50e-6);
  const analysis::Ledger ledger = analysis::explain_gap(with_memset(0), with_memset(300'000));
  std::map<std::string, double> lines;
  for (const analysis::LedgerLine& line : ledger.lines) {
    lines[line.id] = line.time_s;
    EXPECT_EQ(line.saving_s.has_value(), line.id == "memset") << line.id;
    if (line.id != "memset") continue;
    EXPECT_NEAR(line.saving_s.value_or(0), 300e-6 - change_s, 1e-9);
  }
  EXPECT_NEAR(lines["memset"], 300e-6, 1e-12);
  EXPECT_NEAR(lines["power"], -change_s, 1e-9);
  EXPECT_NEAR(lines["clock"], change_s, 1e-9);
  EXPECT_EQ(lines.size(), 3u);
  EXPECT_NEAR(ledger.residual_s(), 0, 1e-15);
  bool noted = false;
  for (const std::string& note : ledger.notes) {
    noted = noted || note.find("1.38 GHz") != note.npos;
  }
  EXPECT_TRUE(noted);
  // No added work, or no power limit: no such line.
  for (const analysis::Ledger& other :
       {analysis::explain_gap(with_memset(300'000), with_memset(300'000)),
        analysis::explain_gap(limited({{"gemm_a", 700'000}}, 0),
                              limited({{"gemm_a", 700'000}, {"softmax_k", 300'000}}, 0))}) {
    for (const analysis::LedgerLine& line : other.lines) {
      EXPECT_NE(line.id, "power");
      EXPECT_TRUE(line.id != "softmax" || line.saving_s == line.time_s);
    }
  }
}

// The dynamic power of an idle GPU is 0.03: the GEMM uses 0.85 - 0.2 x 0.03 = 0.844 in 0.8 ms.
// Without idle time 0.844 x^1.5 = 0.85 x 0.8 / x: x^2.5 = 0.8 x 0.85 / 0.844.
TEST(PowerModel, AdviceIncludesTheClock) {
  const analysis::RunAnalysis run =
      limited({{"gemm_a", 800'000}, {"", 200'000}}, kSoftwarePowerCap, 64);
  const analysis::RunUnit unit(run);
  ASSERT_NEAR(unit.idle_s(), 200e-6, 1e-9);
  const std::vector<analysis::Advice> all = analysis::all_advice(run, unit);
  const auto idle = std::find_if(all.begin(), all.end(),
                                 [](const analysis::Advice& a) { return a.id == "idle_time"; });
  ASSERT_NE(idle, all.end());
  const double x = std::pow(0.8 * 0.85 / 0.844, 0.4);
  EXPECT_NEAR(*idle->saving_s, 1e-3 - 0.8e-3 / x, 1e-9);
  EXPECT_LT(*idle->saving_low_s, *idle->saving_s);
  EXPECT_GT(*idle->saving_high_s, *idle->saving_s);
  // Below the limit the saving is the idle time, without an interval.
  const analysis::RunAnalysis free = limited({{"gemm_a", 800'000}, {"", 200'000}}, 0, 64);
  const std::vector<analysis::Advice> at_clock =
      analysis::all_advice(free, analysis::RunUnit(free));
  ASSERT_EQ(at_clock.front().id, "idle_time");
  EXPECT_NEAR(*at_clock.front().saving_s, 200e-6, 1e-9);
  EXPECT_FALSE(at_clock.front().saving_low_s);
}

// Advice that removes a row's work and what-if predict the same saving.
TEST(PowerModel, AdviceAndWhatIfAgree) {
  const analysis::RunAnalysis run =
      limited({{"gemm_a", 700'000}, {"elementwise_kernel_add", 100'000}, {"silu_kernel", 200'000}});
  const analysis::RunUnit unit(run);
  const std::vector<analysis::Advice> all = analysis::all_advice(run, unit);
  const auto chain = std::find_if(all.begin(), all.end(), [](const analysis::Advice& a) {
    return a.id == "elementwise_chains";
  });
  ASSERT_NE(chain, all.end());
  const analysis::PredictedStep without =
      predicted(run, "elementwise_kernel_add", {.time = 0, .energy = 0});
  EXPECT_NEAR(*chain->saving_s, 1e-3 - without.time_s, 1e-12);
  EXPECT_LT(*chain->saving_s, 100e-6);
  EXPECT_NEAR(*chain->saving_low_s, std::max(0.0, 1e-3 - without.high_s), 1e-12);
}

TEST(PowerModel, WhatIfReportsClockAndInterval) {
  const analysis::RunAnalysis run = limited({{"gemm_a", 600'000}, {"softmax_k", 400'000}});
  const analysis::Finding finding =
      analysis::what_if_finding(run, {analysis::parse_what_if("softmax=0")});
  EXPECT_NE(finding.summary.find("1.50 GHz"), std::string::npos) << finding.summary;
  // Time and interval with the change, and the time at the present clock: GEMMs use more power than
  // the mean, so the clock falls.
  const analysis::Table& table = finding.tables.at(0);
  ASSERT_EQ(table.id, "what_if_run");
  const auto number = [&](std::size_t row, std::size_t column) {
    return std::get<double>(table.rows.at(row).at(column));
  };
  EXPECT_NEAR(number(2, 1), 600e-6, 1e-9);
  EXPECT_GT(number(1, 1), number(2, 1));
  EXPECT_LT(number(1, 2), number(1, 1));
  EXPECT_GT(number(1, 3), number(1, 1));
}

}  // namespace
}  // namespace mansard::test
