// SPDX-License-Identifier: Apache-2.0
// Samples counters of one GPU at a fixed rate with CUPTI's PM sampling. The GPU writes the samples
// into a buffer; running kernels are not disturbed.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "collector/cupti/counters/metric_plan.h"
#include "collector/cupti/counters/profiler_api.h"

namespace mansard::collector {

class GpuMetricSampler {
 public:
  struct Sample {
    std::int64_t end_ns = 0;     // UTC by the GPU's timer; the sample covers the period before it
    std::vector<double> values;  // by metrics()
  };
  enum class Taken { all, some_lost };

  // `device`: CUDA device number in this process. Takes a few tenths of a second. Throws
  // CountersRefused, or std::runtime_error for a GPU that cannot be sampled.
  GpuMetricSampler(const PmSamplingApi& api, const ProfilerHostApi& host_api, std::size_t device,
                   std::chrono::nanoseconds period);
  ~GpuMetricSampler();
  GpuMetricSampler(const GpuMetricSampler&) = delete;
  GpuMetricSampler& operator=(const GpuMetricSampler&) = delete;

  const std::vector<std::string>& metrics() const { return plan_.groups.front().metrics; }
  const std::vector<std::string>& unavailable() const { return plan_.unavailable; }

  // These throw CountersRefused.
  void start();
  void stop();  // samples can still be taken afterwards
  // Appends the samples since the last call, oldest first. Returns some_lost if the GPU's buffer
  // was full or kSamplesAtOnce was too small; sampling continues.
  Taken take(std::vector<Sample>& samples);

  // Approximate buffer size on the GPU: with 12 metrics, a sample takes 8 KB (H200).
  static constexpr std::size_t kBufferBytes = std::size_t{64} << 20;
  // Samples decoded at once; each takes 50 KB in this process (12 metrics, H200). CUPTI 13.0 loses
  // samples when it runs out of room for them: 30 of 290 on an H200.
  static constexpr std::size_t kSamplesAtOnce = 512;

 private:
  void check(CUptiResult result, const std::string& attempted) const;
  ByteImage counter_availability() const;
  void configure();
  void disable();
  void clear_counter_data();
  // Number of complete samples in `counter_data_`.
  std::size_t completed() const;
  Sample sample(std::size_t index) const;

  const PmSamplingApi api_;
  const ProfilerHostApi host_api_;
  const std::size_t device_;
  const std::chrono::nanoseconds period_;
  std::unique_ptr<ProfilerHost> host_;
  MetricPlan plan_;
  CUpti_PmSampling_Object* sampling_ = nullptr;
  ByteImage counter_data_;
  bool started_ = false;
  bool first_ = false;  // the next sample is the first one, which started before start()
};

}  // namespace mansard::collector
