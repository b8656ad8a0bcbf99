// SPDX-License-Identifier: Apache-2.0
// The state of the GPUs that the program works on (clocks, power, throttling, ...), read through
// NVML while a window of recording is open.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "collector/sources/device_sampler.h"
#include "collector/sources/nvml_api.h"
#include "collector/store/recording_window.h"
#include "collector/store/writer_thread.h"

namespace mansard {

class DeviceStateSource : public EventSource, public RecordingWindow::Listener {
 public:
  struct Hooks {
    std::function<NvmlApi()> load;  // called once, on a thread of ours; may throw
    std::function<void(const std::string&)> complain;
  };
  // What waits to be written, at most: two minutes of eight GPUs, 1 MB.
  static constexpr std::size_t kMostSamples = 10'000;

  // Samples every window.options().device_state_period_ms. The thread that does is started by the
  // first GPU; it sleeps outside of windows and ends with the last.
  DeviceStateSource(std::int64_t session_start_ns, const RecordingWindow& window, Hooks hooks,
                    std::size_t most_samples = kMostSamples);
  ~DeviceStateSource() override;

  // A GPU that the program works on.
  void add_device(const GpuRecord& gpu);

  // Must come before NVML ends with the process. Waits for a call of NVML's that is under way;
  // false: not any longer than `patience`.
  bool stop(std::chrono::milliseconds patience);

  void window_opens() override {}
  void window_opened() override { set(open_, true); }
  void window_closed() override { set(open_, false); }
  void window_is_over() override { set(over_, true); }

  bool has_events() override { return false; }  // a GPU's state alone is not worth a file
  bool drain(ProfileWriter& writer, const std::atomic<int>& wanted) override;
  void close() override { set(stopping_, true); }
  void discard() override;

 private:
  struct Watched {
    DeviceSampler sampler;
    std::string uuid;
    int failures = 0;  // in a row
  };

  void set(bool& flag, bool value);
  void run();
  void sample_until_the_end();
  void open_devices(const std::vector<GpuRecord>& gpus);
  void sample_all();
  void keep(DeviceStateSample sample);
  // How long to wait after a round that took `cost`.
  std::chrono::nanoseconds pause_after(std::chrono::nanoseconds cost);
  // Once on stderr, and in the recording.
  void say(Severity severity, const std::string& text);
  std::string describe(nvml::Return result) const;

  const std::int64_t session_start_ns_;
  const RecordingWindow& window_;
  const std::chrono::nanoseconds period_;
  const Hooks hooks_;
  const std::size_t most_samples_;

  std::mutex mutex_;  // guards the fields below; never held during a call of NVML's
  std::condition_variable changed_;
  bool open_ = false;
  bool over_ = false;
  bool stopping_ = false;
  bool ended_ = true;  // the thread
  std::vector<GpuRecord> new_devices_;
  std::vector<DeviceStateSample> samples_;
  std::vector<DiagnosticRecord> diagnostics_;
  std::uint64_t dropped_ = 0;
  std::thread thread_;

  // Used by the thread only.
  NvmlApi api_;
  bool initialized_ = false;
  std::vector<Watched> watched_;
  int slow_rounds_ = 0;  // in a row
  bool slowness_said_ = false;

  std::uint64_t reported_dropped_ = 0;  // used by the writer only
};

}  // namespace mansard
