// SPDX-License-Identifier: Apache-2.0
// Tests measure() with fake kernels.
#include "empirical_roofline/measure/measure.h"

#include <algorithm>
#include <stdexcept>

#include <gtest/gtest.h>

namespace mansard::roofline {
namespace {

struct Script {
  std::string difference{};     // result of verify()
  std::vector<double> times_s;  // of successive launches, repeated
  double cycles = 0;
  int launches = 0;
};

class ScriptedKernel : public kernels::PreparedKernel {
 public:
  explicit ScriptedKernel(Script& script) : script_(script) {}
  kernels::Work work() const override {
    kernels::Work w;
    w.flop = 1e9;
    w.bytes[MemoryLevel::cpu_l1] = 5e8;
    w.bytes[MemoryLevel::dram] = 2e9;
    w.operations = 250;
    return w;
  }
  void launch(void*) override { ++script_.launches; }
  std::string verify() override { return script_.difference; }
  double elapsed_cycles() override { return script_.cycles; }
  double elapsed_device_s() override {
    return script_.times_s[static_cast<std::size_t>(script_.launches) % script_.times_s.size()];
  }

 private:
  Script& script_;
};

kernels::KernelSpec spec(kernels::KernelRole role) {
  kernels::KernelSpec s;
  s.name = "scripted";
  s.target = kernels::Target::host;
  s.role = role;
  s.peak_per_clock = [](const kernels::DeviceInfo&) { return 4.0; };
  return s;
}

MeasureOptions quick() {
  MeasureOptions o;
  o.warm_up_s = 0;
  o.stop = {.min_samples = 12, .min_time_s = 0, .max_time_s = 1e9, .max_uncertainty = 0.5};
  return o;
}

kernels::DeviceInfo two_cores() {
  kernels::DeviceInfo d;
  d.name = "made up";
  d.units = 2;
  return d;
}

TEST(Measure, AWrongKernelIsNamedWithItsDifference) {
  Script script{.difference = "3 values differ", .times_s = {1.0}};
  ScriptedKernel kernel(script);
  try {
    require_right(spec(kernels::KernelRole::compute_ceiling), kernel, two_cores());
    FAIL() << "a wrong result was accepted";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("scripted"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("made up"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("3 values differ"), std::string::npos);
  }
  EXPECT_EQ(script.launches, 0);
}

Sample first_sample(const kernels::KernelSpec& s, const Script& from) {
  Script script = from;
  ScriptedKernel kernel(script);
  return measure(s, kernel, two_cores(), nullptr, quick()).samples.front();
}

// 1e9 FLOP in 0.5 s is 2 GFLOP/s. 5e8 cycles in 0.5 s are 1 GHz. Theory for 5e8 cycles on 2 cores
// at 4 FLOP a cycle is 4e9 FLOP, of which 1e9 is a quarter.
TEST(Measure, RateClockAndFractionOfTheory) {
  const Sample s =
      first_sample(spec(kernels::KernelRole::compute_ceiling), {.times_s = {0.5}, .cycles = 5e8});
  EXPECT_DOUBLE_EQ(s.value, 2e9);
  EXPECT_DOUBLE_EQ(s.clock_hz, 1e9);
  EXPECT_DOUBLE_EQ(s.fraction, 0.25);
}

TEST(Measure, BandwidthCountsTheBytesOfItsTier) {
  kernels::KernelSpec bandwidth = spec(kernels::KernelRole::bandwidth_ceiling);
  bandwidth.level = MemoryLevel::dram;
  const Sample s = first_sample(bandwidth, {.times_s = {0.5}});
  EXPECT_DOUBLE_EQ(s.value, 4e9);
  EXPECT_EQ(s.clock_hz, 0) << "no clock was measured";
  EXPECT_EQ(s.fraction, 0);
}

// With peak_per_s, no clock is needed: 4e9 B/s of 1.6e10 B/s.
TEST(Measure, APeakPerSecondNeedsNoClock) {
  kernels::KernelSpec bandwidth = spec(kernels::KernelRole::bandwidth_ceiling);
  bandwidth.peak_per_s = [](const kernels::DeviceInfo&) { return 1.6e10; };
  EXPECT_DOUBLE_EQ(first_sample(bandwidth, {.times_s = {0.5}, .cycles = 5e8}).fraction, 0.25);
}

TEST(Measure, OverheadsAndLatenciesAreSecondsEach) {
  for (const kernels::KernelRole role :
       {kernels::KernelRole::overhead_ceiling, kernels::KernelRole::latency_ceiling}) {
    const Sample s = first_sample(spec(role), {.times_s = {0.5}, .cycles = 5e8});
    EXPECT_DOUBLE_EQ(s.value, 0.5 / 250);
    EXPECT_EQ(s.fraction, 0) << "a time has no fraction of a rate";
  }
}

TEST(Measure, OutliersStayInTheSamples) {
  Script script{.times_s = {0.5, 0.5, 0.5, 0.5, 0.5, 50.0}};
  ScriptedKernel kernel(script);
  const Measurement m =
      measure(spec(kernels::KernelRole::compute_ceiling), kernel, two_cores(), nullptr, quick());
  EXPECT_EQ(m.samples.size(), 12u);
  EXPECT_EQ(std::ranges::count_if(m.samples, [](const Sample& s) { return s.value < 1e9; }), 2);
}

TEST(SettledFrom, FindsWhereADriftEnds) {
  std::vector<double> clocks(10, 1.98e9);
  for (int i = 0; i < 10; ++i) clocks.push_back(1.98e9 - 3e7 * i);
  const std::size_t ramp_end = clocks.size();
  for (int i = 0; i < 30; ++i) clocks.push_back(1.65e9 + (i % 2 == 0 ? 2e6 : -2e6));
  const std::size_t from = settled_from(clocks);
  EXPECT_GE(from, ramp_end - 1);
  EXPECT_LE(from, ramp_end + 1);
}

TEST(SettledFrom, AStableClockIsSettledAtOnceAndADriftNever) {
  EXPECT_EQ(settled_from(std::vector<double>(20, 1.5e9)), 0u);
  std::vector<double> drift;
  for (int i = 0; i < 40; ++i) drift.push_back(2e9 * (1 - 0.01 * i));
  EXPECT_EQ(settled_from(drift), drift.size());
}

}  // namespace
}  // namespace mansard::roofline
