// SPDX-License-Identifier: Apache-2.0
// Tests which GPUs are sampled and when, and the handling of a slow, incomplete or missing NVML.
#include <array>
#include <csignal>
#include <set>

#include <gtest/gtest.h>

#include "collector/sources/device_state_source.h"
#include "collector/store/sqlite.h"
#include "tests/collector/running_steps.h"
#include "tests/collector/sample.h"
#include "tests/collector/sources/fake_nvml.h"

namespace mansard::collector {
namespace {

using namespace test;
using namespace std::chrono_literals;

constexpr std::int64_t kSessionStart_ns = 1'700'000'000'000'000'000;

collector::RecordingOptions every(std::int64_t period_ms, bool paused = false) {
  collector::RecordingOptions options;
  options.device_state_period_ms = period_ms;
  options.paused = paused;
  return options;
}

class DeviceState : public testing::Test {
 protected:
  DeviceState() { set_up(every(10)); }
  ~DeviceState() override {
    nvml.hangs = false;  // also if the test has failed
    source.reset();
  }

  void set_up(const collector::RecordingOptions& options,
              std::size_t most_samples = DeviceStateSource::kMaxSamples) {
    source.reset();
    window = std::make_unique<collector::RecordingWindow>(
        options,
        collector::RecordingWindow::Hooks{.now_ns = store::utc_now_ns, .complain = complain()});
    source = std::make_unique<DeviceStateSource>(
        kSessionStart_ns, *window,
        DeviceStateSource::Hooks{.load = [this] { return load(); }, .complain = complain()},
        most_samples);
    window->add_listener(*source);
  }

  std::function<void(const std::string&)> complain() {
    return [this](const std::string& text) {
      const std::lock_guard lock(mutex);
      complaints.push_back(text);
    };
  }

  void add(const std::string& uuid, std::int32_t id) {
    store::GpuRecord gpu;
    gpu.id = id;
    gpu.uuid = uuid;
    source->add_device(gpu);
  }

  void wait_for_reads(int more) {
    const int wanted = nvml.reads + more;
    wait_until([&] { return nvml.reads >= wanted; }, "reading of the state");
  }

  std::vector<std::string> said() {
    const std::lock_guard lock(mutex);
    return complaints;
  }

  // Stops sampling and returns all samples.
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

  FakeNvml nvml;
  std::function<NvmlApi()> load = FakeNvml::api;
  std::mutex mutex;
  std::vector<std::string> complaints;
  std::unique_ptr<collector::RecordingWindow> window;
  std::unique_ptr<DeviceStateSource> source;
};

TEST_F(DeviceState, AllValuesOfUsedGpusAreRecorded) {
  add("GPU-1", 5);
  wait_for_reads(4);
  const store::Profile p = recorded();
  ASSERT_GE(p.device_states.size(), 3u);
  std::int64_t last_ns = 0;
  for (const store::DeviceStateSample& s : p.device_states) {
    EXPECT_EQ(s.device_id, 5) << "the other GPU of the machine is not the program's";
    EXPECT_EQ(s.sm_clock_hz, 1411e6);
    EXPECT_EQ(s.memory_clock_hz, 3202e6);
    EXPECT_DOUBLE_EQ(s.power_w.value(), 699.501);
    EXPECT_TRUE(s.power_is_instant);
    EXPECT_EQ(s.temperature_c, 72);
    EXPECT_EQ(s.clocks_event_reasons, 0x44u);
    EXPECT_DOUBLE_EQ(s.gpu_utilization.value(), 0.98);
    EXPECT_DOUBLE_EQ(s.memory_utilization.value(), 0.56);
    EXPECT_EQ(s.memory_used_bytes, 80'000'000'001);
    EXPECT_GT(s.timestamp_ns, last_ns);
    last_ns = s.timestamp_ns;
  }
  EXPECT_LE(last_ns, store::utc_now_ns() - kSessionStart_ns);
  EXPECT_EQ(nvml.loads, 1);
  EXPECT_TRUE(said().empty());
}

TEST_F(DeviceState, NvmlIsNotLoadedWithoutAGpu) {
  EXPECT_TRUE(recorded().device_states.empty());
  EXPECT_EQ(nvml.loads, 0);
  EXPECT_FALSE(source->has_events());
}

TEST_F(DeviceState, GpusCanBeAddedLater) {
  add("GPU-0", 0);
  wait_for_reads(2);
  add("GPU-1", 1);
  wait_for_reads(6);
  std::set<std::int32_t> ids;
  for (const store::DeviceStateSample& s : recorded().device_states) ids.insert(s.device_id);
  EXPECT_EQ(ids, (std::set<std::int32_t>{0, 1}));
  EXPECT_EQ(nvml.loads, 1);
}

TEST_F(DeviceState, OnlyWithinWindows) {
  set_up(every(10, true));
  add("GPU-0", 0);
  std::this_thread::sleep_for(50ms);
  EXPECT_EQ(nvml.reads, 0) << "read before the window";
  EXPECT_EQ(nvml.loads, 0);
  for (int i = 0; i < 2; ++i) {
    window->open();
    wait_for_reads(3);
    window->close();
    const int reads = nvml.reads;
    std::this_thread::sleep_for(50ms);
    EXPECT_LE(nvml.reads, reads + 1) << "one may have been in progress";
  }
  const store::Profile p = recorded();
  const std::vector<store::RecordedWindow> windows = window->windows(0);
  ASSERT_EQ(windows.size(), 2u);
  std::array<int, 2> inside = {0, 0};
  for (const store::DeviceStateSample& s : p.device_states) {
    const std::int64_t utc_ns = kSessionStart_ns + s.timestamp_ns;
    bool in_any = false;
    for (std::size_t i = 0; i < 2; ++i) {
      const bool in = utc_ns >= windows[i].start_ns && utc_ns <= windows[i].end_ns;
      inside[i] += in ? 1 : 0;
      in_any = in_any || in;
    }
    EXPECT_TRUE(in_any) << utc_ns;
  }
  EXPECT_GE(inside[0], 2);
  EXPECT_GE(inside[1], 2);
}

TEST_F(DeviceState, NvmlIsShutDownAfterTheLastWindow) {
  add("GPU-0", 0);
  wait_for_reads(1);
  source->window_is_over();
  wait_until([&] { return nvml.shutdowns == 1; }, "the end of NVML");
  add("GPU-1", 1);
  EXPECT_TRUE(source->stop(40s));
  EXPECT_EQ(nvml.loads, 1);
}

TEST_F(DeviceState, OlderDriverReportsAveragePower) {
  nvml.has_instant_power = false;
  add("GPU-0", 0);
  wait_for_reads(4);
  const store::Profile p = recorded();
  ASSERT_FALSE(p.device_states.empty());
  for (const store::DeviceStateSample& s : p.device_states) {
    EXPECT_DOUBLE_EQ(s.power_w.value(), 612.25);
    EXPECT_FALSE(s.power_is_instant);
  }
  EXPECT_EQ(nvml.instant_power_asked, 1) << "unsupported values are queried once";
}

TEST_F(DeviceState, UnsupportedValuesAreNull) {
  load = [] {
    NvmlApi api = FakeNvml::api();
    api.memory = nullptr;
    api.temperature_c = nullptr;
    api.clocks_event_reasons = nullptr;
    api.power_mw = nullptr;
    api.field_values = nullptr;
    return api;
  };
  add("GPU-0", 0);
  wait_for_reads(3);
  const store::Profile p = recorded();
  ASSERT_FALSE(p.device_states.empty());
  const store::DeviceStateSample& s = p.device_states[0];
  EXPECT_EQ(s.sm_clock_hz, 1410e6);
  EXPECT_FALSE(s.power_w || s.temperature_c || s.clocks_event_reasons || s.memory_used_bytes);
  EXPECT_TRUE(said().empty());
}

TEST_F(DeviceState, LostGpuIsReportedOnceAndTheOtherContinues) {
  add("GPU-0", 0);
  add("GPU-1", 1);
  wait_for_reads(4);
  nvml.result[0] = nvml::kGpuIsLost;
  wait_until([this] { return !said().empty(); }, "a word about the lost GPU");
  nvml.result[0] = nvml::kSuccess;
  wait_for_reads(4);
  const store::Profile p = recorded();
  ASSERT_EQ(said().size(), 1u);
  EXPECT_NE(said()[0].find("GPU-0"), std::string::npos);
  ASSERT_EQ(p.diagnostics.size(), 1u);
  EXPECT_EQ(p.diagnostics[0].severity, store::Severity::error);
  const std::int64_t lost_ns = p.diagnostics[0].timestamp_ns;
  bool other_goes_on = false;
  for (const store::DeviceStateSample& s : p.device_states) {
    EXPECT_TRUE(s.device_id == 1 || s.timestamp_ns < lost_ns);
    other_goes_on = other_goes_on || s.timestamp_ns > lost_ns;
  }
  EXPECT_TRUE(other_goes_on);
}

TEST_F(DeviceState, TransientFailureKeepsTheGpu) {
  nvml.rounds_to_fail = 2;
  add("GPU-0", 0);
  wait_for_reads(4);
  nvml.rounds_to_fail = 2;
  wait_for_reads(4);
  EXPECT_TRUE(said().empty());
  nvml.rounds_to_fail = 1000;
  wait_until([this] { return !said().empty(); }, "a word about the failures");
  const int reads = nvml.reads;
  std::this_thread::sleep_for(50ms);
  EXPECT_EQ(nvml.reads, reads) << "asked again";
  EXPECT_EQ(said().size(), 1u);
  EXPECT_GE(recorded().device_states.size(), 3u);
}

TEST_F(DeviceState, MissingLibraryIsReportedOnce) {
  load = []() -> NvmlApi { throw std::runtime_error("no libnvidia-ml.so.1 here"); };
  add("GPU-0", 0);
  wait_until([this] { return !said().empty(); }, "a word about the library");
  add("GPU-1", 1);
  const store::Profile p = recorded();
  ASSERT_EQ(said().size(), 1u);
  EXPECT_NE(said()[0].find("no libnvidia-ml.so.1 here"), std::string::npos);
  ASSERT_EQ(p.diagnostics.size(), 1u);
  EXPECT_EQ(p.diagnostics[0].text, said()[0]);
  EXPECT_TRUE(p.device_states.empty());
}

TEST_F(DeviceState, FailedInitializationIsReported) {
  nvml.init_result = 9;  // driver not loaded
  add("GPU-0", 0);
  wait_until([this] { return !said().empty(); }, "a word about the initialization");
  EXPECT_NE(said()[0].find("fake error (9)"), std::string::npos) << said()[0];
}

TEST_F(DeviceState, UnknownGpuIsReportedAndTheOtherSampled) {
  add("GPU-of-another-container", 0);
  add("GPU-1", 1);
  wait_for_reads(3);
  const store::Profile p = recorded();
  ASSERT_EQ(said().size(), 1u);
  EXPECT_NE(said()[0].find("GPU-of-another-container"), std::string::npos);
  EXPECT_FALSE(p.device_states.empty());
}

TEST_F(DeviceState, SlowNvmlIsSampledLessOften) {
  constexpr std::int64_t kCall_ns = 10'000'000;
  nvml.call_takes_ms = 10;
  add("GPU-0", 0);
  wait_for_reads(5);
  const store::Profile p = recorded();
  ASSERT_GE(p.device_states.size(), 4u);
  for (std::size_t i = 1; i < p.device_states.size(); ++i) {
    const store::DeviceStateSample& before = p.device_states[i - 1];
    EXPECT_GE(p.device_states[i].timestamp_ns - before.timestamp_ns, 20 * kCall_ns);
  }
  ASSERT_EQ(said().size(), 1u);
  EXPECT_NE(said()[0].find("instead of every 10"), std::string::npos) << said()[0];
}

TEST_F(DeviceState, HangingCallBlocksNobody) {
  nvml.hangs = true;
  add("GPU-0", 0);
  wait_until([this] { return nvml.reads == 1; }, "the call that hangs");
  // Each would block forever if it waited for NVML.
  window->close();
  window->open();
  add("GPU-1", 1);
  source->discard();
  EXPECT_FALSE(source->stop(10ms)) << "given up at process end";
  nvml.hangs = false;
}

TEST_F(DeviceState, UnwrittenSamplesAreBoundedAndCounted) {
  constexpr std::size_t kMax = 5;
  set_up(every(10), kMax);
  add("GPU-0", 0);
  wait_for_reads(kMax + 3);
  source->stop(40s);
  const Scratch scratch;
  {
    store::ProfileWriter writer(scratch / "a.sqlite", sample_session());
    source->drain(writer, 0);
    writer.finish(store::RecordingState::complete);
  }
  EXPECT_EQ(store::load_profile(scratch / "a.sqlite").device_states.size(), kMax);
  store::Database database((scratch / "a.sqlite").string(), store::Database::Access::read_only);
  store::Statement row =
      database.prepare("SELECT value FROM MANSARD_SESSION WHERE name = 'droppedDeviceStates'");
  ASSERT_TRUE(row.step());
  EXPECT_GE(std::stoi(row.text(0)), 2);
}

// A sampling process that is killed. load_nvml() finds the NVML in this folder.
class SamplingProcess {
 public:
  SamplingProcess(const Scratch& scratch, const std::string& nvml_folder) : scratch_(scratch) {
    thread_ = std::thread([this, nvml_folder] {
      run_shell(scratch_, "LD_LIBRARY_PATH=" + nvml_folder + " exec " + program("device_state") +
                              " " + file().string() + " " + (scratch_ / "pid").string());
    });
  }
  ~SamplingProcess() { end(); }

  std::filesystem::path file() const { return scratch_ / "state.sqlite"; }
  // Waits until the file has this many rows.
  void wait_for(std::size_t states, std::size_t ranges) const {
    wait_until(
        [&] {
          try {
            const store::Profile p = store::load_profile(file());
            return p.device_states.size() >= states && p.nvtx.size() >= ranges;
          } catch (const std::runtime_error&) {
            return false;  // being created
          }
        },
        "samples in the file");
  }
  void end() {
    if (!thread_.joinable()) return;
    wait_until([&] { return contents(scratch_ / "pid").ends_with("\n"); }, "the pid");
    kill(static_cast<pid_t>(std::stol(contents(scratch_ / "pid"))), SIGKILL);
    thread_.join();
  }

 private:
  const Scratch& scratch_;
  std::thread thread_;
};

TEST(DeviceStateProcess, KilledProcessKeepsItsSamples) {
  const Scratch scratch;
  SamplingProcess process(scratch, MANSARD_TEST_NVML_FOLDER);
  process.wait_for(10, 1);
  process.end();
  const store::Profile p = store::load_profile(process.file());
  EXPECT_EQ(p.session.state, store::RecordingState::interrupted);
  ASSERT_GE(p.device_states.size(), 10u);
  double last_w = 100;
  for (const store::DeviceStateSample& s : p.device_states) {
    EXPECT_EQ(s.device_id, 3);
    EXPECT_EQ(s.sm_clock_hz, 1980e6);
    EXPECT_EQ(s.clocks_event_reasons, 4u) << "by the name that older drivers have";
    EXPECT_NEAR(s.power_w.value(), last_w + 0.001, 1e-9) << "each read is a row";
    EXPECT_FALSE(s.temperature_c);
    last_w = s.power_w.value();
  }
}

TEST(DeviceStateProcess, BrokenLibraryIsHarmless) {
  const Scratch scratch;
  std::filesystem::create_directory(scratch / "broken");
  std::ofstream(scratch / "broken" / "libnvidia-ml.so.1") << "not a library";
  SamplingProcess process(scratch, (scratch / "broken").string());
  wait_until([&] { return contents(scratch / "stderr").ends_with("\n"); }, "a word about it");
  process.wait_for(0, 1);
  process.end();
  EXPECT_NE(contents(scratch / "stderr").find("libnvidia-ml.so.1"), std::string::npos);
  EXPECT_EQ(store::load_profile(process.file()).nvtx.size(), 1u);
}

}  // namespace
}  // namespace mansard::collector
