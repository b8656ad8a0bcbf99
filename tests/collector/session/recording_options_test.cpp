// SPDX-License-Identifier: Apache-2.0
#include "collector/session/recording_options.h"

#include <cstdlib>
#include <stdexcept>

#include <gtest/gtest.h>

namespace mansard::collector {
namespace {

TEST(RecordingOptions, CaptureRange) {
  RecordingOptions named;
  parse_capture_range("nvtx:a@b@torch", named);
  EXPECT_EQ(named.capture_range, "a@b");
  EXPECT_EQ(named.capture_domain, "torch");
  EXPECT_FALSE(named.capture_profiler_api);
  RecordingOptions api;
  parse_capture_range("cudaProfilerApi", api);
  EXPECT_TRUE(api.capture_profiler_api);
  EXPECT_TRUE(api.limited());
  for (const char* bad : {"", "nvtx", "nvtx:", "nvtx:x@", "nvtx:@d", "cudaprofilerapi", "step"}) {
    RecordingOptions options;
    EXPECT_THROW(parse_capture_range(bad, options), std::invalid_argument) << bad;
  }
}

TEST(RecordingOptions, Steps) {
  RecordingOptions options;
  parse_steps("3:5", options);
  EXPECT_EQ(options.first_step, 3);
  EXPECT_EQ(options.end_step, 5);
  for (const char* bad : {"", "3", "3:", ":5", "0:5", "-1:5", "5:5", "5:3", "3:5:7", "a:b", "3:5 "})
    EXPECT_THROW(parse_steps(bad, options), std::invalid_argument) << bad;
}

TEST(RecordingOptions, ContradictionsAreRejected) {
  const auto refused = [](auto change) {
    RecordingOptions options;
    change(options);
    try {
      check(options);
    } catch (const std::invalid_argument&) {
      return true;
    }
    return false;
  };
  EXPECT_FALSE(refused([](RecordingOptions&) {}));
  EXPECT_FALSE(refused([](RecordingOptions& o) { o.delay_s = 1, o.duration_s = 2; }));
  EXPECT_TRUE(refused([](RecordingOptions& o) { o.delay_s = -1; }));
  EXPECT_TRUE(refused([](RecordingOptions& o) { o.duration_s = 1e300; }));
  EXPECT_TRUE(refused([](RecordingOptions& o) { o.exit_timeout_s = -1; }));
  EXPECT_TRUE(
      refused([](RecordingOptions& o) { o.delay_s = 1, o.first_step = 1, o.end_step = 2; }));
  EXPECT_TRUE(refused([](RecordingOptions& o) { o.duration_s = 1, o.capture_range = "r"; }));
  EXPECT_TRUE(refused(
      [](RecordingOptions& o) { o.capture_range = "r", o.first_step = 1, o.end_step = 2; }));
  EXPECT_TRUE(
      refused([](RecordingOptions& o) { o.capture_range = "r", o.capture_profiler_api = true; }));
  EXPECT_TRUE(refused([](RecordingOptions& o) { o.step_prefix = ""; }));
  for (const char* good : {"roofline", "full", "dram__bytes.sum,sm__warps_active.avg"}) {
    EXPECT_FALSE(refused([&](RecordingOptions& o) { o.counters = good; })) << good;
  }
  for (const char* bad : {"rooflines", "roofline,full", "dram__bytes", "a__b.c,,", "a b__c.d"}) {
    EXPECT_TRUE(refused([&](RecordingOptions& o) { o.counters = bad; })) << bad;
  }
  EXPECT_TRUE(refused([](RecordingOptions& o) { o.counters_per_kernel = 0; }));
  EXPECT_FALSE(refused([](RecordingOptions& o) { o.paused = true; }));
  EXPECT_TRUE(refused([](RecordingOptions& o) { o.paused = true, o.delay_s = 1; }));
  for (const std::int64_t period_ms : {0, 10, 100, 60'000}) {
    EXPECT_FALSE(refused([=](RecordingOptions& o) { o.device_state_period_ms = period_ms; }));
  }
  for (const std::int64_t period_ms : {-1, 1, 9, 60'001}) {
    EXPECT_TRUE(refused([=](RecordingOptions& o) { o.device_state_period_ms = period_ms; }));
  }
  for (const std::int64_t period_us : {0, 200, 1000, 1'000'000}) {
    EXPECT_FALSE(refused([=](RecordingOptions& o) { o.gpu_metrics_period_us = period_us; }));
  }
  for (const std::int64_t period_us : {-1, 1, 199, 1'000'001}) {
    EXPECT_TRUE(refused([=](RecordingOptions& o) { o.gpu_metrics_period_us = period_us; }));
  }
  EXPECT_TRUE(refused(
      [](RecordingOptions& o) { o.gpu_metrics_period_us = 1000, o.counters = "roofline"; }));
}

// Passes options through the environment, as launcher and collector do.
RecordingOptions through_environment(const RecordingOptions& options) {
  const auto variables = to_environment(options);
  for (const auto& [name, value] : variables) setenv(name.c_str(), value.c_str(), 1);
  const RecordingOptions read = recording_options_of_environment();
  for (const auto& [name, value] : variables) unsetenv(name.c_str());
  return read;
}

TEST(RecordingOptions, RoundTripThroughEnvironment) {
  RecordingOptions timed;
  timed.delay_s = 0.1;
  timed.duration_s = 12.5;
  timed.start_utc_ns = 1'700'000'000'000'000'001;
  EXPECT_DOUBLE_EQ(through_environment(timed).delay_s, 0.1);
  EXPECT_DOUBLE_EQ(through_environment(timed).duration_s, 12.5);
  EXPECT_EQ(through_environment(timed).start_utc_ns, 1'700'000'000'000'000'001);
  RecordingOptions range;
  parse_capture_range("nvtx:my range:1@d", range);
  EXPECT_EQ(describe(through_environment(range)), "--capture-range nvtx:my range:1@d");
  RecordingOptions steps;
  parse_steps("2:4", steps);
  steps.step_prefix = "iteration ";
  EXPECT_EQ(describe(through_environment(steps)), describe(steps));
  EXPECT_FALSE(through_environment({}).limited());
  RecordingOptions counters;
  counters.counters = "dram__bytes.sum,lts__t_bytes.sum";
  counters.counters_per_kernel = 7;
  EXPECT_EQ(through_environment(counters).counters, counters.counters);
  EXPECT_EQ(through_environment(counters).counters_per_kernel, 7);
  RecordingOptions paused;
  paused.paused = true;
  EXPECT_EQ(describe(through_environment(paused)), "--paused");
  RecordingOptions small;
  small.memory_limit_bytes = 32 << 20;
  small.device_state_period_ms = 0;
  EXPECT_EQ(through_environment(small).memory_limit_bytes, 32 << 20);
  EXPECT_EQ(through_environment(small).device_state_period_ms, 0);
  small.gpu_metrics_period_us = 500;
  EXPECT_EQ(through_environment(small).gpu_metrics_period_us, 500);
  EXPECT_EQ(through_environment({}).gpu_metrics_period_us, 0);
  EXPECT_EQ(through_environment({}).memory_limit_bytes, 512 << 20);
  EXPECT_EQ(through_environment({}).device_state_period_ms, 100);
}

TEST(RecordingOptions, CudaGraphTrace) {
  RecordingOptions options;
  EXPECT_EQ(through_environment(options).cuda_graph_trace, CudaGraphTrace::node);
  options.cuda_graph_trace = parse_cuda_graph_trace("graph");
  EXPECT_EQ(through_environment(options).cuda_graph_trace, CudaGraphTrace::graph);
  EXPECT_FALSE(options.limited());
  EXPECT_EQ(describe(options), "") << "does not limit which part is recorded";
  options.cuda_graph_trace = parse_cuda_graph_trace("node");
  EXPECT_EQ(through_environment(options).cuda_graph_trace, CudaGraphTrace::node);
  for (const char* bad : {"", "Graph", "graphs", "none"}) {
    EXPECT_THROW(parse_cuda_graph_trace(bad), std::invalid_argument) << bad;
  }
}

TEST(RecordingOptions, ErrorNamesTheInvalidVariable) {
  setenv("MANSARD_STEPS", "two", 1);
  try {
    recording_options_of_environment();
    ADD_FAILURE() << "accepted";
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("MANSARD_STEPS=two"), std::string::npos);
  }
  unsetenv("MANSARD_STEPS");
}

}  // namespace
}  // namespace mansard::collector
