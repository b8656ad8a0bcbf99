// SPDX-License-Identifier: Apache-2.0
#include "collector/cupti/counters/counter_source.h"

#include <algorithm>
#include <thread>

#include <gtest/gtest.h>

#include "tests/collector/cupti/counters/fake_profiler.h"
#include "tests/collector/sample.h"
#include "tests/support/scratch.h"

namespace mansard::collector {
namespace {

using namespace test;

const auto kContext = reinterpret_cast<CUcontext>(0x1000);
const auto kCaptured = reinterpret_cast<CUstream>(0xc0);

struct Kernel {
  const char* name;
  double duration_ns;
  unsigned int grid = 8;
  CUstream stream = nullptr;
};

class Counters : public testing::Test {
 protected:
  Counters() { fake_profiler = &profiler; }
  ~Counters() override {
    EXPECT_EQ(profiler.configured_twice, 0);
    fake_profiler = nullptr;
  }

  std::unique_ptr<CounterSource> make(CounterSource::Settings settings) {
    return std::make_unique<CounterSource>(
        fake_range_api(), fake_host_api(), 0, std::move(settings),
        CounterSource::Hooks{[this](const std::string& s) { complaints.push_back(s); },
                             [](CUstream stream) { return stream == kCaptured; },
                             [this] { profiler.calls.push_back("flush"); },
                             [this] { ++needs_stop; }});
  }
  static CounterSource::Settings settings(const char* metrics = "a__x.sum", int per_kernel = 2) {
    return {metrics, per_kernel, false};
  }

  // As the driver and CUPTI do it. The function is the address of the name.
  void launch(CounterSource& source, const Kernel& kernel) {
    cuLaunchKernel_params parameters{};
    parameters.f = reinterpret_cast<CUfunction>(const_cast<char*>(kernel.name));
    parameters.gridDimX = kernel.grid;
    parameters.gridDimY = 2;
    parameters.gridDimZ = 1;
    parameters.blockDimX = 128;
    parameters.blockDimY = parameters.blockDimZ = 1;
    parameters.sharedMemBytes = 4096;
    parameters.hStream = kernel.stream;
    CUpti_CallbackData data{};
    data.functionParams = &parameters;
    data.symbolName = kernel.name;
    data.context = kContext;
    data.correlationId = ++correlation;
    source.launch_begins(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, data);
    profiler.run_kernel(kernel.duration_ns);
    source.launch_ends(data);
  }

  store::Profile drained(CounterSource& source) {
    {
      store::ProfileWriter writer(scratch / "a.sqlite", sample_session());
      const std::atomic<int> nobody_waits = 0;
      while (source.drain(writer, nobody_waits)) continue;
      writer.finish(store::RecordingState::complete);
    }
    return store::load_profile(scratch / "a.sqlite");
  }

  Scratch scratch;
  FakeProfiler profiler;
  std::vector<std::string> complaints;
  int needs_stop = 0;
  std::atomic<std::uint32_t> correlation = 100;
};

constexpr const char* kGemm = "_ZN2ns4gemmIfEEvPT_";

TEST_F(Counters, RecordsAreFlushedAfterEachLaunchThatIsRead) {
  const auto source = make(settings());
  for (int i = 0; i < 5; ++i) launch(*source, {kGemm, 1000});
  EXPECT_EQ(std::count(profiler.calls.begin(), profiler.calls.end(), "flush"), 2);
  EXPECT_FALSE(profiler.started);
  EXPECT_TRUE(source->was_read(101) && source->was_read(102));
  EXPECT_FALSE(source->was_read(100) || source->was_read(103));
}

TEST_F(Counters, ValuesDoNotWaitForTheNextGroup) {
  const auto source = make(settings());
  launch(*source, {kGemm, 1000});
  launch(*source, {kGemm, 1000});
  launch(*source, {kGemm, 1000});
  EXPECT_FALSE(source->has_events());
  std::this_thread::sleep_for(std::chrono::milliseconds(600));
  launch(*source, {kGemm, 1000});
  EXPECT_TRUE(source->has_events());
  EXPECT_EQ(drained(*source).counter_readings.size(), 2u);
}

TEST_F(Counters, OfTheFirstLaunchesOfEachSignature) {
  const auto source = make(settings());
  EXPECT_TRUE(source->wants_launches());
  for (int i = 0; i < 5; ++i) {
    launch(*source, {kGemm, 1000.0 + i});
    launch(*source, {kGemm, 2000.0 + i, 99});
  }
  EXPECT_FALSE(source->has_events()) << "not yet fetched from the GPU";
  EXPECT_EQ(needs_stop, 1) << "the library is loaded";
  source->stop();
  EXPECT_EQ(needs_stop, 2) << "and has computed";
  EXPECT_TRUE(source->has_events());
  const store::Profile p = drained(*source);
  ASSERT_EQ(p.counter_readings.size(), 4u);
  std::map<double, const store::CounterReading*> by_duration;
  for (const store::CounterReading& r : p.counter_readings) {
    ASSERT_EQ(r.values.size(), 2u);
    EXPECT_EQ(p.string(r.values[0].first), "gpu__time_duration.sum");
    EXPECT_EQ(p.string(r.values[1].first), "a__x.sum");
    EXPECT_EQ(r.values[1].second, 10 * r.values[0].second);
    by_duration[r.values[0].second] = &r;
  }
  ASSERT_EQ(by_duration.size(), 4u);
  const store::CounterReading& second = *by_duration.at(2001);
  EXPECT_EQ(p.string(second.demangled_name), "void ns::gemm<float>(float*)");
  EXPECT_EQ(p.string(second.mangled_name), kGemm);
  EXPECT_EQ(second.grid, (std::array<std::int32_t, 3>{99, 2, 1}));
  EXPECT_EQ(second.block, (std::array<std::int32_t, 3>{128, 1, 1}));
  EXPECT_EQ(second.dynamic_shared_bytes, 4096);
  EXPECT_EQ(second.device_id, 3);
  EXPECT_EQ(second.correlation_id, 104);
  EXPECT_EQ(second.passes, 1);
  EXPECT_TRUE(by_duration.contains(1000) && by_duration.contains(1001));
  EXPECT_TRUE(complaints.empty());
}

TEST_F(Counters, EachGroupFromOtherLaunches) {
  const auto source = make(settings("a__x.sum,b__x.sum,c__x.sum,d__x.sum,e__x.sum", 1));
  for (int i = 0; i < 400; ++i) launch(*source, {kGemm, 1000.0 + i});
  source->stop();
  const store::Profile p = drained(*source);
  std::set<std::string> metrics;
  for (const store::CounterReading& r : p.counter_readings) {
    for (const auto& [metric, value] : r.values) metrics.insert(p.string(metric));
  }
  EXPECT_EQ(p.counter_readings.size(), 3u) << "two metrics each, and one";
  EXPECT_EQ(metrics.size(), 6u);
}

TEST_F(Counters, MoreThanOneImageHolds) {
  const auto source = make(settings("a__x.sum", 200));
  for (int i = 0; i < 300; ++i) launch(*source, {kGemm, 1000.0 + i});
  source->stop();
  const store::Profile p = drained(*source);
  ASSERT_EQ(p.counter_readings.size(), 200u);
  std::set<double> durations;
  for (const store::CounterReading& r : p.counter_readings) {
    durations.insert(r.values[0].second);
    EXPECT_EQ(r.values[0].second, 1000 + static_cast<double>(r.correlation_id - 101));
  }
  EXPECT_EQ(durations.size(), 200u);
}

TEST_F(Counters, OnlyAfterTheWindow) {
  CounterSource::Settings after = settings();
  after.after_window = true;
  const auto source = make(after);
  source->window_opens();
  launch(*source, {kGemm, 1});
  EXPECT_FALSE(source->wants_launches());
  EXPECT_TRUE(profiler.calls.empty()) << "the counters are not even opened";
  source->window_closed();
  EXPECT_TRUE(source->wants_launches());
  launch(*source, {kGemm, 2});
  source->window_opens();
  launch(*source, {kGemm, 3});
  source->window_closed();
  launch(*source, {kGemm, 4});
  source->stop();
  const store::Profile p = drained(*source);
  ASSERT_EQ(p.counter_readings.size(), 2u);
  EXPECT_EQ(p.counter_readings[0].values[0].second, 2);
  EXPECT_EQ(p.counter_readings[1].values[0].second, 4);
}

TEST_F(Counters, SkipsCommunicationAndCapturedLaunches) {
  const auto source = make(settings());
  launch(*source, {"ncclDevKernel_AllReduce_Sum_f32_RING_LL", 1});
  launch(*source, {kGemm, 2, 8, kCaptured});
  EXPECT_FALSE(profiler.started);
  launch(*source, {kGemm, 3});
  source->stop();
  const store::Profile p = drained(*source);
  ASSERT_EQ(p.counter_readings.size(), 1u);
  EXPECT_EQ(p.counter_readings[0].values[0].second, 3);
}

TEST_F(Counters, RefusalIsReportedOnceWithARemedy) {
  profiler.enable_result = CUPTI_ERROR_INSUFFICIENT_PRIVILEGES;
  const auto source = make(settings());
  for (int i = 0; i < 3; ++i) launch(*source, {kGemm, 1});
  ASSERT_EQ(complaints.size(), 1u);
  EXPECT_NE(complaints[0].find("NVreg_RestrictProfilingToAdminUsers=0"), std::string::npos);
  EXPECT_TRUE(source->is_done());
  EXPECT_FALSE(source->wants_launches());
  source->stop();
  const store::Profile p = drained(*source);
  EXPECT_TRUE(p.counter_readings.empty());
  ASSERT_EQ(p.diagnostics.size(), 1u);
  EXPECT_EQ(p.diagnostics[0].severity, store::Severity::warning);
}

TEST_F(Counters, LosingCountersKeepsEarlierValues) {
  const auto source = make(settings("a__x.sum", 200));
  for (int i = 0; i < 70; ++i) launch(*source, {kGemm, 1000.0 + i});
  profiler.start_result = CUPTI_ERROR_HARDWARE_BUSY;
  for (int i = 0; i < 3; ++i) launch(*source, {kGemm, 1});
  ASSERT_EQ(complaints.size(), 1u);
  EXPECT_NE(complaints[0].find("dcgmi"), std::string::npos);
  EXPECT_EQ(profiler.calls.back(), "disable");
  source->stop();
  EXPECT_EQ(drained(*source).counter_readings.size(), ContextCounters::kMaxRanges);
}

TEST_F(Counters, UnmatchedValuesAreDropped) {
  const auto source = make(settings());
  launch(*source, {kGemm, 1});
  profiler.pending.push_back(77);  // a kernel that came by another way
  source->stop();
  const store::Profile p = drained(*source);
  EXPECT_TRUE(p.counter_readings.empty());
  ASSERT_EQ(p.diagnostics.size(), 1u);
  EXPECT_NE(p.diagnostics[0].text.find("are dropped"), std::string::npos);
}

TEST_F(Counters, EndOfAContextTakesItsValues) {
  const auto source = make(settings());
  launch(*source, {kGemm, 1});
  source->context_ends(kContext);
  EXPECT_TRUE(source->has_events());
  EXPECT_EQ(profiler.calls.back(), "disable");
  source->context_ends(kContext);  // of one that was never used
  source->stop();
  EXPECT_EQ(drained(*source).counter_readings.size(), 1u);
}

TEST_F(Counters, AreReleasedWhenAllIsRead) {
  const auto source = make(settings());
  for (std::size_t i = 0; i < LaunchSampler::kPatience + 10; ++i) launch(*source, {kGemm, 1});
  EXPECT_TRUE(source->is_done());
  EXPECT_FALSE(source->wants_launches());
  EXPECT_EQ(profiler.calls.back(), "disable");
  EXPECT_EQ(drained(*source).counter_readings.size(), 2u);
}

TEST_F(Counters, LaunchesOfThreadsNeverShareARange) {
  const auto source = make(settings("a__x.sum", 50));
  std::vector<std::thread> threads;
  static constexpr const char* kNames[] = {"a", "b", "c", "d"};
  for (const char* name : kNames) {
    threads.emplace_back([&, name] {
      for (int i = 0; i < 300; ++i) launch(*source, {name, static_cast<double>(*name)});
    });
  }
  for (std::thread& thread : threads) thread.join();
  source->stop();
  EXPECT_EQ(profiler.started_twice, 0);
  const store::Profile p = drained(*source);
  EXPECT_EQ(p.counter_readings.size(), 200u);
  for (const store::CounterReading& r : p.counter_readings) {
    EXPECT_EQ(r.values[0].second, static_cast<double>(p.string(r.mangled_name).at(0)));
  }
}

// Observation was switched off during a launch, so its end was never reported.
TEST_F(Counters, LaunchWithoutEndBlocksNobody) {
  CounterSource::Settings after = settings("a__x.sum", 3);
  after.after_window = true;
  const auto source = make(after);
  source->window_closed();
  cuLaunchKernel_params parameters{};
  parameters.f = reinterpret_cast<CUfunction>(const_cast<char*>(kGemm));
  CUpti_CallbackData data{};
  data.functionParams = &parameters;
  data.symbolName = kGemm;
  data.context = kContext;
  data.correlationId = 1;
  source->launch_begins(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, data);
  source->window_opens();
  source->launches_unwatched();
  source->window_closed();
  launch(*source, {kGemm, 5});
  EXPECT_EQ(profiler.started_twice, 0);
  EXPECT_TRUE(complaints.empty());
}

}  // namespace
}  // namespace mansard::collector
