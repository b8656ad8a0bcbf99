// SPDX-License-Identifier: Apache-2.0
// Counters of the GPUs used by the program, sampled while a recording window is open: utilization
// of Tensor Cores, memory and links over time, independent of the running kernels.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "collector/cupti/sampling/gpu_metric_sampler.h"
#include "collector/sources/gpu_watch.h"

namespace mansard::collector {

class GpuMetricsSource : public GpuWatch {
 public:
  struct Hooks {
    Complain complain;
    // Called when CUPTI has loaded, or first used, the code that computes values from counters:
    // stop() must be called by an exit handler registered now (see CounterSource::Hooks).
    std::function<void()> values_need_stop;
  };
  // Maximum number of unwritten samples: a minute of one GPU at 1 kHz, 15 MB.
  static constexpr std::size_t kMaxSamples = 60'000;

  GpuMetricsSource(const PmSamplingApi& api, const ProfilerHostApi& host_api,
                   std::int64_t session_start_ns, std::chrono::nanoseconds period, Hooks hooks,
                   std::size_t most_samples = kMaxSamples);
  ~GpuMetricsSource() override;

  bool drain(store::ProfileWriter& writer, const std::atomic<int>& wanted) override;
  void discard() override;

 private:
  struct Watched {
    std::int32_t id;
    std::unique_ptr<GpuMetricSampler> sampler;
    bool loss_said = false;
  };
  struct Sample {
    std::int32_t device_id;
    const std::vector<std::string>* metrics;  // points into metric_names_
    GpuMetricSampler::Sample sample;
  };

  void open_devices(const std::vector<store::GpuRecord>& gpus) override;
  bool watches_any() const override { return !watched_.empty(); }
  std::chrono::nanoseconds round() override;
  void window_ended() override;
  void ends(bool process_goes_on) override;
  void take(Watched& gpu);
  // Runs `work` on each GPU. A GPU that fails is reported and dropped.
  void for_each_gpu(const std::function<void(Watched&)>& work);

  const PmSamplingApi api_;
  const ProfilerHostApi host_api_;
  const std::chrono::nanoseconds period_;
  const std::function<void()> values_need_stop_;
  const std::size_t most_samples_;

  // Used by the thread only.
  std::vector<Watched> watched_;
  bool sampling_ = false;
  bool values_computed_ = false;

  std::mutex mutex_;  // guards the next three
  std::vector<Sample> samples_;
  std::vector<std::unique_ptr<std::vector<std::string>>> metric_names_;
  std::uint64_t dropped_ = 0;

  std::uint64_t reported_dropped_ = 0;  // used by the writer only
};

}  // namespace mansard::collector
