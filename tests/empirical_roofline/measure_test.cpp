// SPDX-License-Identifier: Apache-2.0
// The engine against kernels whose times and results are made up.
#include "empirical_roofline/measure/measure.h"

#include <stdexcept>

#include <gtest/gtest.h>

namespace mansard {
namespace {

struct Script {
  std::string difference{};     // what verify() answers
  std::vector<double> times_s;  // of successive launches, repeated
  double cycles = 0;
  int launches = 0;
  int launches_before_verify = -1;
};

class ScriptedKernel : public PreparedKernel {
 public:
  explicit ScriptedKernel(Script& script) : script_(script) {}
  Work work() const override {
    Work w;
    w.flop = 1e9;
    w.bytes[MemoryLevel::cpu_l1] = 5e8;
    w.bytes[MemoryLevel::dram] = 2e9;
    return w;
  }
  void launch(void*) override { ++script_.launches; }
  std::string verify() override {
    script_.launches_before_verify = script_.launches;
    return script_.difference;
  }
  double elapsed_cycles() override { return script_.cycles; }
  double elapsed_device_s() override {
    return script_.times_s[static_cast<std::size_t>(script_.launches) % script_.times_s.size()];
  }

 private:
  Script& script_;
};

KernelSpec spec(KernelRole role) {
  KernelSpec s;
  s.name = "scripted";
  s.target = Target::host;
  s.role = role;
  s.peak_per_clock = [](const DeviceInfo&) { return 4.0; };
  return s;
}

MeasureOptions quick() {
  MeasureOptions o;
  o.warm_up_s = 0;
  o.stop = {.min_samples = 12, .min_time_s = 0, .max_time_s = 1e9, .max_uncertainty = 0.5};
  return o;
}

DeviceInfo two_cores() {
  DeviceInfo d;
  d.name = "made up";
  d.units = 2;
  return d;
}

TEST(Measure, AWrongKernelIsNeverTimed) {
  Script script{.difference = "3 values differ", .times_s = {1.0}};
  ScriptedKernel kernel(script);
  try {
    measure(spec(KernelRole::compute_ceiling), kernel, two_cores(), nullptr, quick());
    FAIL() << "a wrong result was accepted";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("scripted"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("3 values differ"), std::string::npos);
  }
  EXPECT_EQ(script.launches, 0);
}

TEST(Measure, VerifiesBeforeTheFirstLaunch) {
  Script script{.times_s = {0.5}};
  ScriptedKernel kernel(script);
  measure(spec(KernelRole::compute_ceiling), kernel, two_cores(), nullptr, quick());
  EXPECT_EQ(script.launches_before_verify, 0);
}

// 1e9 FLOP in 0.5 s is 2 GFLOP/s. 5e8 cycles in 0.5 s are 1 GHz. Theory for 5e8 cycles on 2 cores
// at 4 FLOP a cycle is 4e9 FLOP, of which 1e9 is a quarter.
TEST(Measure, RateClockAndFractionOfTheory) {
  Script script{.times_s = {0.5}, .cycles = 5e8};
  ScriptedKernel kernel(script);
  const Measurement m =
      measure(spec(KernelRole::compute_ceiling), kernel, two_cores(), nullptr, quick());
  EXPECT_EQ(m.unit, "FLOP/s");
  EXPECT_DOUBLE_EQ(m.value, 2e9);
  EXPECT_DOUBLE_EQ(m.clock_hz, 1e9);
  EXPECT_DOUBLE_EQ(m.fraction_of_theory_at_clock, 0.25);
  EXPECT_EQ(m.samples.size(), 12u);
}

TEST(Measure, BandwidthCountsTheBytesOfItsTier) {
  Script script{.times_s = {0.5}};
  ScriptedKernel kernel(script);
  KernelSpec s = spec(KernelRole::bandwidth_ceiling);
  s.level = MemoryLevel::dram;
  const Measurement m = measure(s, kernel, two_cores(), nullptr, quick());
  EXPECT_EQ(m.unit, "B/s");
  EXPECT_DOUBLE_EQ(m.value, 4e9);
  EXPECT_EQ(m.clock_hz, 0) << "no clock was seen, so none is stated";
  EXPECT_EQ(m.fraction_of_theory_at_clock, 0);
}

TEST(Measure, OutliersStayInTheSamples) {
  Script script{.times_s = {0.5, 0.5, 0.5, 0.5, 0.5, 50.0}};
  ScriptedKernel kernel(script);
  const Measurement m =
      measure(spec(KernelRole::compute_ceiling), kernel, two_cores(), nullptr, quick());
  EXPECT_DOUBLE_EQ(m.value, 2e9);
  int slow = 0;
  for (const Sample& s : m.samples) slow += s.value < 1e9;
  EXPECT_EQ(slow, 2);
}

}  // namespace
}  // namespace mansard
