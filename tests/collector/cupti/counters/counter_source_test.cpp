// SPDX-License-Identifier: Apache-2.0
#include "collector/cupti/counters/counter_source.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <set>
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
                             [this](CUcontext, std::chrono::milliseconds) { return idle; },
                             [this] { return library_call; },
                             [this] { profiler.calls.push_back("flush"); },
                             [this] { ++needs_stop; }});
  }
  static CounterSource::Settings settings(const char* metrics = "a__x.sum", int per_kernel = 2) {
    CounterSource::Settings s;
    s.set_name = metrics;
    s.per_kernel = per_kernel;
    return s;
  }
  static CounterSource::Settings automatic() {
    CounterSource::Settings s = settings("auto", 1);
    s.automatic = true;
    return s;
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
  void launch_graph(CounterSource& source, double duration_ns) {
    cuGraphLaunch_params parameters{};
    parameters.hGraph = reinterpret_cast<CUgraphExec>(0x9000);
    CUpti_CallbackData data{};
    data.functionParams = &parameters;
    data.context = kContext;
    data.correlationId = ++correlation;
    source.launch_begins(CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch, data);
    profiler.run_kernel(duration_ns);
    source.launch_ends(data);
  }
  // The record of a launch that began at `start_s`.
  static void record(CounterSource& source, const Kernel& kernel, double start_s, int graph = 0) {
    store::KernelRecord record;
    record.start_ns = static_cast<std::int64_t>(1e9 * start_s);
    record.end_ns = record.start_ns + static_cast<std::int64_t>(kernel.duration_ns);
    record.mangled_name = 1 + kernel.name[0];
    record.grid = {static_cast<std::int32_t>(kernel.grid), 2, 1};
    record.block = {128, 1, 1};
    record.dynamic_shared_bytes = 4096;
    record.graph_id = graph;
    source.kernel_recorded(record, kernel.name);
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
  bool idle = true;
  std::uint64_t library_call = 0;
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

TEST_F(Counters, ValuesDoNotWaitForTheNextRound) {
  const auto source = make(settings());
  launch(*source, {kGemm, 1000});
  launch(*source, {kGemm, 1000});
  for (std::size_t i = 0; i <= LaunchSampler::kLeastPatience; ++i) launch(*source, {kGemm, 1000});
  EXPECT_FALSE(source->has_events());
  std::this_thread::sleep_for(std::chrono::milliseconds(600));
  launch(*source, {kGemm, 1000});
  EXPECT_TRUE(source->has_events());
  EXPECT_EQ(drained(*source).counter_readings.size(), 2u);
}

// A set of counts in ranges: the counters stay started, and passes come from different launches.
TEST_F(Counters, RooflineTakesOnePassPerLaunch) {
  const auto source = make(settings("roofline", 1));
  for (int i = 0; i < 2000; ++i) {
    library_call = 0;
    launch(*source, {kGemm, 1000});
    library_call = 55;
    launch(*source, {kGemm, 5000});
  }
  source->stop();
  EXPECT_EQ(profiler.started_twice, 0);
  EXPECT_EQ(profiler.dropped, 0);
  const store::Profile p = drained(*source);
  std::map<std::string, std::set<double>> values;
  std::set<std::int32_t> passes;
  for (const store::CounterReading& r : p.counter_readings) {
    passes.insert(r.passes);
    EXPECT_EQ(p.string(r.mangled_name), kGemm);
    for (const auto& [metric, value] : r.values) values[p.string(metric)].insert(value);
  }
  EXPECT_EQ(passes, (std::set<std::int32_t>{1, 2})) << "ranges of two passes, and instructions";
  EXPECT_FALSE(values.contains("gpu__time_duration.sum")) << "the range is longer than the kernel";
  ASSERT_GT(values.size(), 10u);
  for (const auto& [metric, of_metric] : values) {
    EXPECT_EQ(of_metric, (std::set<double>{10'000, 50'000})) << metric;
  }
  ASSERT_FALSE(p.pauses.empty() && profiler.calls.empty());
  EXPECT_TRUE(complaints.empty());
}

TEST_F(Counters, GraphsAreReadAsAWhole) {
  const auto source = make(settings("roofline", 1));
  for (int i = 0; i < 400; ++i) launch_graph(*source, 3000);
  source->stop();
  const store::Profile p = drained(*source);
  ASSERT_EQ(p.counter_readings.size(), 1u) << "instructions of a graph are not counted";
  for (const store::CounterReading& r : p.counter_readings) {
    EXPECT_EQ(r.graph_id, 7);
    EXPECT_EQ(r.demangled_name, 0);
    for (const auto& [metric, value] : r.values) EXPECT_EQ(value, 30'000) << p.string(metric);
  }
}

TEST_F(Counters, AutomaticWaitsUntilTheProgramRepeatsItself) {
  const auto source = make(automatic());
  EXPECT_FALSE(source->wants_launches());
  record(*source, {"compile", 9e8}, 0.1);
  for (double t = 1; t < 2; t += 0.01) record(*source, {kGemm, 9e6}, t);
  EXPECT_FALSE(source->wants_launches());
  drained(*source);
  EXPECT_FALSE(source->wants_launches()) << "the kernel has run for a second only";
  for (double t = 2; t < 4; t += 0.01) {
    record(*source, {kGemm, 9e6}, t);
    record(*source, {"small", 1e3}, t + 0.009);
  }
  std::filesystem::remove(scratch / "a.sqlite");
  drained(*source);
  EXPECT_TRUE(source->wants_launches());
  EXPECT_TRUE(profiler.calls.empty());
  for (int i = 0; i < 100 && source->wants_launches(); ++i) {
    launch(*source, {"small", 1e3});
    launch(*source, {kGemm, 9e6});
  }
  EXPECT_FALSE(source->wants_launches()) << "all is read";
  EXPECT_FALSE(source->is_done()) << "other kernels may come";
  std::filesystem::remove(scratch / "a.sqlite");
  const store::Profile p = drained(*source);
  ASSERT_FALSE(p.counter_readings.empty());
  for (const store::CounterReading& r : p.counter_readings) {
    EXPECT_EQ(p.string(r.mangled_name), kGemm) << "1 of 10,000 of the time is not worth it";
  }
  // Another phase of the program.
  for (double t = 4; t < 8; t += 0.01) record(*source, {"later", 9e6}, t);
  std::filesystem::remove(scratch / "a.sqlite");
  drained(*source);
  EXPECT_TRUE(source->wants_launches());
}

// exit() destroys CUPTI's static objects while the writer's thread still runs.
TEST_F(Counters, AutomaticSetsUpOnTheThreadThatLaunches) {
  const auto source = make(automatic());
  for (double t = 1; t < 4; t += 0.01) record(*source, {kGemm, 9e6}, t);
  drained(*source);
  EXPECT_TRUE(source->wants_launches());
  EXPECT_EQ(needs_stop, 0) << "nothing is set up yet";
  launch(*source, {kGemm, 9e6});
  EXPECT_EQ(needs_stop, 1);
}

TEST_F(Counters, NothingIsReadOnceTheProgramExits) {
  const auto source = make(automatic());
  for (double t = 1; t < 4; t += 0.01) record(*source, {kGemm, 9e6}, t);
  source->close();
  drained(*source);
  EXPECT_FALSE(source->wants_launches());
  EXPECT_TRUE(source->is_done());
}

// Setting the counters up waits for the GPU, which may wait for the host.
TEST_F(Counters, NothingIsSetUpWhileTheGpuWorks) {
  const auto source = make(settings("roofline", 1));
  idle = false;
  launch(*source, {kGemm, 1});
  EXPECT_EQ(needs_stop, 0);
  idle = true;
  launch(*source, {kGemm, 1});
  EXPECT_EQ(needs_stop, 1);
}

TEST_F(Counters, AutomaticLeavesCommunicatingProgramsAlone) {
  const auto source = make(automatic());
  for (double t = 1; t < 4; t += 0.01) {
    record(*source, {kGemm, 8e6}, t);
    record(*source, {"ncclDevKernel_AllReduce_Sum_f32_RING_LL", 1e6}, t + 0.009);
  }
  const store::Profile p = drained(*source);
  EXPECT_FALSE(source->wants_launches());
  EXPECT_TRUE(source->is_done());
  ASSERT_EQ(p.diagnostics.size(), 1u);
  EXPECT_EQ(p.diagnostics[0].severity, store::Severity::info);
}

TEST_F(Counters, AutomaticStopsWhenItsTimeIsSpent) {
  CounterSource::Settings limited = automatic();
  limited.budget = std::chrono::milliseconds(0);
  const auto source = make(limited);
  for (double t = 1; t < 4; t += 0.01) record(*source, {kGemm, 9e6}, t);
  drained(*source);
  for (int i = 0; i < 10; ++i) launch(*source, {kGemm, 9e6});
  EXPECT_TRUE(source->is_done());
  EXPECT_FALSE(source->wants_launches());
}

// A kernel may wait for the host, which must not wait for the kernel.
TEST_F(Counters, WorkThatDoesNotEndIsNotWaitedFor) {
  const auto source = make(settings("roofline", 1));
  idle = false;
  for (int i = 0; i < 5; ++i) launch(*source, {kGemm, 1});
  EXPECT_FALSE(profiler.started);
  ASSERT_EQ(complaints.size(), 1u);
  EXPECT_NE(complaints[0].find("did not end"), std::string::npos);
}

TEST_F(Counters, NothingIsReadDuringAStreamCapture) {
  const auto source = make(settings("roofline", 1));
  source->capture_begins();
  launch(*source, {kGemm, 1});
  launch(*source, {kGemm, 1});
  EXPECT_TRUE(profiler.calls.empty());
  source->capture_ends();
  launch(*source, {kGemm, 1});
  launch(*source, {kGemm, 1});
  EXPECT_FALSE(profiler.calls.empty());
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
  EXPECT_EQ(drained(*source).counter_readings.size(), 70u);
}

TEST_F(Counters, UnmatchedValuesAreDropped) {
  const auto source = make(settings());
  launch(*source, {kGemm, 1});
  profiler.pending.push_back({"0", {77}});  // a kernel that came by another way
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
