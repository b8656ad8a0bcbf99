// SPDX-License-Identifier: Apache-2.0
// State of the GPUs used by the program (clocks, power, throttling, ...), read through NVML while a
// recording window is open.
#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "collector/sources/device_sampler.h"
#include "collector/sources/gpu_watch.h"
#include "support/nvml.h"

namespace mansard::collector {

class DeviceStateSource : public GpuWatch {
 public:
  struct Hooks {
    std::function<NvmlApi()> load;  // called once, on the collector's thread; may throw
    Complain complain;
  };
  // Maximum number of unwritten samples: two minutes of eight GPUs, 1 MB.
  static constexpr std::size_t kMaxSamples = 10'000;

  // Samples every window.options().device_state_period_ms.
  DeviceStateSource(std::int64_t session_start_ns, const RecordingWindow& window, Hooks hooks,
                    std::size_t most_samples = kMaxSamples);
  ~DeviceStateSource() override;

  bool drain(store::ProfileWriter& writer, const std::atomic<int>& wanted) override;
  void discard() override;

 private:
  struct Watched {
    DeviceSampler sampler;
    std::string uuid;
    int failures = 0;  // in a row
  };

  void open_devices(const std::vector<store::GpuRecord>& gpus) override;
  bool watches_any() const override { return !watched_.empty(); }
  std::chrono::nanoseconds round() override;
  void ends(bool process_goes_on) override;
  void sample_all();
  void keep(store::DeviceStateSample sample);
  // Returns how long to wait after a round that took `cost`.
  std::chrono::nanoseconds pause_after(std::chrono::nanoseconds cost);
  std::string describe(nvml::Return result) const;

  const RecordingWindow& window_;
  const std::chrono::nanoseconds period_;
  const std::function<NvmlApi()> load_;
  const std::size_t most_samples_;

  std::mutex mutex_;  // guards the next two
  std::vector<store::DeviceStateSample> samples_;
  std::uint64_t dropped_ = 0;

  // Used by the thread only.
  NvmlApi api_;
  bool initialized_ = false;
  std::vector<Watched> watched_;
  int slow_rounds_ = 0;  // in a row
  bool slowness_said_ = false;

  std::uint64_t reported_dropped_ = 0;  // used by the writer only
};

}  // namespace mansard::collector
