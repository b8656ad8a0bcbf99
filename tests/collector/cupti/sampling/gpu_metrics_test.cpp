// SPDX-License-Identifier: Apache-2.0
// When GPUs are sampled, what is kept of it, and what becomes of one that cannot be.
#include <algorithm>

#include <gtest/gtest.h>

#include "collector/cupti/counters/metric_sets.h"
#include "collector/cupti/sampling/gpu_metric_set.h"
#include "collector/cupti/sampling/gpu_metrics_source.h"
#include "collector/store/sqlite.h"
#include "tests/collector/cupti/sampling/fake_sampling.h"
#include "tests/collector/running_steps.h"
#include "tests/collector/sample.h"

namespace mansard::collector {
namespace {

using namespace test;
using namespace std::chrono_literals;

constexpr std::int64_t kMetricsStart_ns = 1'700'000'000'000'000'000;

class GpuMetrics : public testing::Test {
 protected:
  GpuMetrics() {
    fake_sampling = &sampling;
    make();
  }
  ~GpuMetrics() override {
    source.reset();
    fake_sampling = nullptr;
  }

  void make(std::size_t most_samples = GpuMetricsSource::kMaxSamples) {
    source = std::make_unique<GpuMetricsSource>(
        fake_sampling_api(), fake_sampling_host_api(), kMetricsStart_ns, 1ms,
        GpuMetricsSource::Hooks{.complain =
                                    [this](const std::string& text) {
                                      const std::lock_guard lock(sampling.mutex);
                                      complaints.push_back(text);
                                    },
                                .values_need_stop = [this] { ++needs_stop; }},
        most_samples);
  }
  void add(std::int32_t id) {
    store::GpuRecord gpu;
    gpu.id = id;
    source->add_device(gpu);
  }
  void wait_for(const std::string& call) {
    wait_until([&] { return sampling.called(call); }, "a call: " + call);
  }
  bool all_decoded() {
    const std::lock_guard lock(sampling.mutex);
    return sampling.pending_ns.empty() && sampling.decoded_ns.empty();
  }
  std::string said() {
    const std::lock_guard lock(sampling.mutex);
    std::string all;
    for (const std::string& text : complaints) all += text + "\n";
    return all;
  }
  store::Profile recorded() {
    source->stop(40s);
    const Scratch scratch;
    {
      store::ProfileWriter writer(scratch / "a.sqlite", sample_session());
      writer.add(sample_range());
      const std::atomic<int> nobody_waits = 0;
      EXPECT_FALSE(source->drain(writer, nobody_waits));
      writer.finish(store::RecordingState::complete);
    }
    return store::load_profile(scratch / "a.sqlite");
  }

  FakeSampling sampling;
  std::vector<std::string> complaints;  // guarded by sampling.mutex
  std::atomic<int> needs_stop = 0;
  std::unique_ptr<GpuMetricsSource> source;
};

TEST_F(GpuMetrics, AreSampledWithinWindows) {
  add(2);
  EXPECT_FALSE(sampling.sample(1)) << "no window is open";
  EXPECT_FALSE(sampling.called("enable 2"));
  source->window_opened();
  wait_for("start");
  EXPECT_TRUE(sampling.called("enable 2"));
  EXPECT_TRUE(sampling.called("config 1000000"));
  for (int i = 0; i < 4; ++i) {
    ASSERT_TRUE(sampling.sample(9));
    wait_until([&] { return all_decoded(); }, "a round");
  }
  source->window_closed();
  wait_for("stop");
  EXPECT_FALSE(sampling.sample(5));
  wait_until([&] { return all_decoded(); }, "the window's last samples");
  source->window_opened();
  wait_until([&] { return sampling.sample(1); }, "the second window");
  sampling.sample(3);
  const store::Profile p = recorded();
  EXPECT_TRUE(sampling.called("disable"));
  // The first of each window is half a sample.
  ASSERT_EQ(p.gpu_metrics.size(), 35u + 3u) << said();
  std::vector<double> numbers;
  for (const store::GpuMetricSample& s : p.gpu_metrics) {
    EXPECT_EQ(s.device_id, 2);
    EXPECT_LT(std::abs(s.end_ns + kMetricsStart_ns - store::utc_now_ns()), 60'000'000'000);
    ASSERT_EQ(s.values.size(), 3u) << "the fake's limit per pass";
    EXPECT_EQ(p.string(s.values[0].first),
              "sm__pipe_tensor_cycles_active_realtime.avg.pct_of_peak_sustained_elapsed");
    EXPECT_EQ(p.string(s.values[1].first), "dram__bytes_read.sum");
    numbers.push_back(s.values[1].second);
  }
  for (int i = 0; i < 35; ++i) EXPECT_EQ(numbers[static_cast<std::size_t>(i)], i + 1);
  EXPECT_EQ(numbers[35], 37) << "36 is the first of the second window";
  EXPECT_EQ(needs_stop, 2) << "the library is loaded, and has computed";
  EXPECT_EQ(said(), "");
}

TEST_F(GpuMetrics, LossIsReportedAndSamplingContinues) {
  source->window_opened();
  add(0);
  wait_for("start");
  {
    const std::lock_guard lock(sampling.mutex);
    sampling.overflows = true;
  }
  wait_for("stop");
  wait_until([&] { return sampling.sample(4); }, "sampling again");
  const store::Profile p = recorded();
  EXPECT_EQ(p.gpu_metrics.size(), 3u);
  EXPECT_NE(said().find("longer --gpu-metrics-period"), std::string::npos);
  ASSERT_EQ(p.diagnostics.size(), 1u);
}

TEST_F(GpuMetrics, OverflowIsALoss) {
  source->window_opened();
  add(0);
  wait_for("start");
  ASSERT_TRUE(sampling.sample(kDecodedAtOnce + 1));
  const store::Profile p = recorded();
  EXPECT_EQ(p.gpu_metrics.size(), kDecodedAtOnce);
  EXPECT_NE(said().find("longer --gpu-metrics-period"), std::string::npos);
}

TEST_F(GpuMetrics, UnwrittenSamplesAreCounted) {
  make(10);
  source->window_opened();
  add(0);
  wait_for("start");
  ASSERT_TRUE(sampling.sample(26));
  source->stop(40s);
  const Scratch scratch;
  {
    store::ProfileWriter writer(scratch / "a.sqlite", sample_session());
    const std::atomic<int> nobody_waits = 0;
    source->drain(writer, nobody_waits);
    writer.finish(store::RecordingState::complete);
  }
  EXPECT_EQ(store::load_profile(scratch / "a.sqlite").gpu_metrics.size(), 10u);
  store::Database database((scratch / "a.sqlite").string(), store::Database::Access::read_only);
  store::Statement row =
      database.prepare("SELECT value FROM MANSARD_SESSION WHERE name = 'droppedGpuMetrics'");
  ASSERT_TRUE(row.step());
  EXPECT_EQ(row.text(0), "15");
}

TEST_F(GpuMetrics, RefusalNamesARemedy) {
  sampling.enable_result = CUPTI_ERROR_INSUFFICIENT_PRIVILEGES;
  source->window_opened();
  add(0);
  wait_until([&] { return !said().empty(); }, "the refusal");
  EXPECT_NE(said().find("metrics of GPU 0 are not sampled: enabling sampling of GPU 0"),
            std::string::npos)
      << said();
  EXPECT_NE(said().find("Run as root"), std::string::npos) << said();
  EXPECT_TRUE(recorded().gpu_metrics.empty());
}

TEST_F(GpuMetrics, SamplesWithAnotherClockAreNotRecorded) {
  sampling.clock_offset_ns = -3'600'000'000'000;
  source->window_opened();
  add(0);
  wait_until(
      [&] {
        sampling.sample(2);
        return said().find("times do not match the host clock") != std::string::npos;
      },
      "a complaint");
  EXPECT_TRUE(recorded().gpu_metrics.empty());
}

// On every chip that CUPTI knows, without any of them.
TEST(GpuMetricSet, TakesOnePassOnEveryChip) {
  ProfilerHostApi api;
  std::vector<std::string> chips;
  try {
    api = load_profiler_host();
    chips = known_chips(api);
  } catch (const std::runtime_error& error) {
    GTEST_SKIP() << error.what();
  }
  int planned = 0;
  for (const std::string& chip : chips) {
    if (compute_capability_of_chip(chip).value_or(0) < 80) continue;
    const ProfilerHost host(api, chip, {}, ProfilerHost::Reader::sampling);
    const MetricPlan plan = plan_gpu_metrics(host);
    ASSERT_EQ(plan.groups.size(), 1u);
    EXPECT_EQ(plan.groups[0].passes, 1u) << chip;
    const auto has = [&](const std::string& part) {
      const auto& all = plan.groups[0].metrics;
      return std::any_of(all.begin(), all.end(), [&](const std::string& metric) {
        return metric.find(part) != std::string::npos;
      });
    };
    // GA10B, GB10B and GB20B have no memory of their own.
    const bool shares_memory = chip == "GA10B" || chip == "GB10B" || chip == "GB20B";
    for (const char* unit : {"pipe_tensor", "sm__cycles_active", "sm__inst_executed", "lts__"}) {
      EXPECT_TRUE(has(unit)) << chip << " " << unit;
    }
    EXPECT_TRUE(shares_memory || (has("dram__") && has("read") && has("write"))) << chip;
    ++planned;
  }
  EXPECT_GE(planned, 15);
}

}  // namespace
}  // namespace mansard::collector
