// SPDX-License-Identifier: Apache-2.0
// Statistics of GPU samples. Expected values are derived by hand.
#include <gtest/gtest.h>

#include "tests/analyzer/profile_builder.h"
#include "tests/analyzer/table_cells.h"

namespace mansard::analysis {
namespace {

using namespace test;

Finding device(const store::Profile& profile) {
  return analysis_registry().find("device")->run(analyze_run(profile, {test_machine()}));
}

store::DeviceStateSample state(double clock_hz, double power_w, std::uint64_t reasons) {
  store::DeviceStateSample s;
  s.sm_clock_hz = clock_hz;
  s.power_w = power_w;
  s.clocks_event_reasons = reasons;
  return s;
}

TEST(Device, ClocksPowerAndThrottling) {
  ProfileBuilder b;
  b.kernel(0, 100, "k");
  // Idle, then three busy samples: two at the power cap, one of them also thermally throttled.
  b.profile().device_states = {state(1.98e9, 100, 0x1), state(1.6e9, 700, 0x4),
                               state(1.4e9, 690, 0x24), state(1.98e9, 500, 0)};
  b.profile().device_states.push_back({});  // of which nothing is told
  const Finding finding = device(b.build());
  ASSERT_EQ(finding.tables.size(), 1u);
  const Table& t = finding.tables[0];
  ASSERT_EQ(t.rows.size(), 1u);
  EXPECT_EQ(cell(t, 0, "device"), Cell(std::int64_t{0}));
  EXPECT_EQ(cell(t, 0, "name"), Cell(std::string("Test GPU")));
  EXPECT_EQ(cell(t, 0, "sm_clock_mean_hz"), Cell((1.98e9 + 1.6e9 + 1.4e9 + 1.98e9) / 4));
  EXPECT_EQ(cell(t, 0, "sm_clock_min_hz"), Cell(1.4e9));
  EXPECT_EQ(cell(t, 0, "power_max_w"), Cell(700.0));
  EXPECT_EQ(cell(t, 0, "temperature_max_c"), Cell());
  EXPECT_EQ(cell(t, 0, "throttled"), Cell(0.5));
  EXPECT_EQ(cell(t, 0, "reasons"), Cell(std::string("idle 25.0 %, software power cap 50.0 %, "
                                                    "software thermal slowdown 25.0 %")));
  EXPECT_EQ(cell(t, 0, "samples"), Cell(std::int64_t{5}));
}

TEST(Device, GpuMetrics) {
  ProfileBuilder b;
  b.kernel(0, 100, "k");
  const store::StringId bytes = b.intern("dram__bytes_read.sum");
  const store::StringId tensor =
      b.intern("sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed");
  const store::StringId clock = b.intern("sm__cycles_elapsed.avg.per_second");
  // One sample per ms; a pause of 10 ms between windows.
  int n = 0;
  for (const std::int64_t end_ms : {1, 2, 12, 13}) {
    b.profile().gpu_metrics.push_back(
        {end_ms * 1'000'000, 0, {{bytes, 1e6 * n}, {tensor, 10.0 * n}, {clock, 1.5e9}}});
    ++n;
  }
  const Finding finding = device(b.build());
  ASSERT_EQ(finding.tables.size(), 1u) << "there are no clocks and no power";
  const Table& t = finding.tables[0];
  EXPECT_EQ(t.id, "gpu_metrics");
  ASSERT_EQ(t.rows.size(), 3u);
  EXPECT_EQ(cell(t, 0, "metric"), Cell(std::string("dram__bytes_read.sum")));
  // 0 to 3 MB per ms.
  EXPECT_DOUBLE_EQ(std::get<double>(cell(t, 0, "bytes_per_s_mean")), 1.5e9);
  EXPECT_DOUBLE_EQ(std::get<double>(cell(t, 0, "bytes_per_s_max")), 3e9);
  EXPECT_EQ(cell(t, 0, "share_mean"), Cell());
  EXPECT_DOUBLE_EQ(std::get<double>(cell(t, 1, "per_s_max")), 1.5e9);
  EXPECT_DOUBLE_EQ(std::get<double>(cell(t, 2, "share_mean")), 0.15);
  EXPECT_DOUBLE_EQ(std::get<double>(cell(t, 2, "share_max")), 0.3);
}

TEST(Device, WithoutSamples) {
  ProfileBuilder b;
  b.kernel(0, 100, "k");
  const Finding finding = device(b.build());
  EXPECT_TRUE(finding.tables.empty());
  EXPECT_FALSE(finding.summary.empty());
}

}  // namespace
}  // namespace mansard::analysis
