// SPDX-License-Identifier: Apache-2.0
#include "analyzer/profile_times.h"

#include <gtest/gtest.h>

#include "tests/analyzer/profile_builder.h"

namespace mansard::test {
namespace {

TEST(ProfileTimes, ZeroIsTheStartOfTheEarliestEventOfAnyKind) {
  ProfileBuilder b;
  EXPECT_EQ(analysis::time_zero_ns(b.build()), 0) << "no events";
  b.kernel(900, 1'000, "kernel");
  EXPECT_EQ(analysis::time_zero_ns(b.build()), 900);
  b.memcpy(800, 850);
  EXPECT_EQ(analysis::time_zero_ns(b.build()), 800);
  b.call(700, "cudaLaunchKernel", 1);
  EXPECT_EQ(analysis::time_zero_ns(b.build()), 700);
  b.range(600, -1, "never closed", kOtherThread);
  EXPECT_EQ(analysis::time_zero_ns(b.build()), 600) << "a range without an end has a start";
  b.range(500, 0, "mark", kMainThread, store::NvtxEventType::mark);
  EXPECT_EQ(analysis::time_zero_ns(b.build()), 500);
  store::DeviceStateSample sample;
  sample.timestamp_ns = 400;
  b.profile().device_states.push_back(sample);
  EXPECT_EQ(analysis::time_zero_ns(b.build()), 400);
  store::GpuMetricSample metric;
  metric.end_ns = 300;
  b.profile().gpu_metrics.push_back(metric);
  EXPECT_EQ(analysis::time_zero_ns(b.build()), 300);
}

TEST(ProfileTimes, RecordsWithoutTimesDoNotCount) {
  ProfileBuilder b;
  b.kernel(0, 0, "has lost its time stamps");
  b.kernel(200, 100, "ends before it starts");
  b.kernel(700, 800, "kernel");
  b.range(1, 0, "domain", kMainThread, store::NvtxEventType::domain_create);
  EXPECT_EQ(analysis::time_zero_ns(b.build()), 700);
}

TEST(ProfileTimes, LatencyIsFromTheStartOfTheCallToTheStartOnTheDevice) {
  store::ApiRecord call;
  call.start_ns = 1'000;
  call.end_ns = 5'000;
  EXPECT_EQ(analysis::launch_latency_ns(call, 3'500), 2'500)
      << "a kernel may start before its call returns";
  EXPECT_EQ(analysis::launch_latency_ns(call, 900), 0)
      << "clocks of host and device differ by up to 1 µs";
}

}  // namespace
}  // namespace mansard::test
