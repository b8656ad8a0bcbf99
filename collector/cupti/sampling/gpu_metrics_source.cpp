// SPDX-License-Identifier: Apache-2.0
#include "collector/cupti/sampling/gpu_metrics_source.h"

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <utility>

namespace mansard::collector {
namespace {

// Number of samples decoded per round: an eighth of the available room. Rounds must not be so
// frequent that they take the core from others, nor so rare that the last samples of a window come
// late.
constexpr int kSamplesARound = GpuMetricSampler::kSamplesAtOnce / 8;
constexpr std::chrono::milliseconds kLongestPause{50};
// With a larger difference from the host clock, the GPU timer is not the expected clock.
constexpr std::int64_t kSameClock_ns = 60'000'000'000;

}  // namespace

GpuMetricsSource::GpuMetricsSource(const PmSamplingApi& api, const ProfilerHostApi& host_api,
                                   std::int64_t session_start_ns, std::chrono::nanoseconds period,
                                   Hooks hooks, std::size_t most_samples)
    : GpuWatch("mansard-metrics", "GPU metrics", session_start_ns, std::move(hooks.complain)),
      api_(api),
      host_api_(host_api),
      period_(period),
      values_need_stop_(std::move(hooks.values_need_stop)),
      most_samples_(most_samples) {}

GpuMetricsSource::~GpuMetricsSource() { stop(std::chrono::hours(1)); }

void GpuMetricsSource::for_each_gpu(const std::function<void(Watched&)>& work) {
  std::erase_if(watched_, [&](Watched& gpu) {
    try {
      work(gpu);
      return false;
    } catch (const std::exception& error) {
      say(store::Severity::warning,
          "metrics of GPU " + std::to_string(gpu.id) + " are no longer sampled: " + error.what());
      return true;
    }
  });
}

void GpuMetricsSource::open_devices(const std::vector<store::GpuRecord>& gpus) {
  for (const store::GpuRecord& gpu : gpus) {
    try {
      auto sampler = std::make_unique<GpuMetricSampler>(api_, host_api_,
                                                        static_cast<std::size_t>(gpu.id), period_);
      values_need_stop_();
      if (sampling_) sampler->start();
      watched_.push_back({gpu.id, std::move(sampler)});
    } catch (const std::exception& error) {
      say(store::Severity::warning,
          "metrics of GPU " + std::to_string(gpu.id) + " are not sampled: " + error.what());
    }
  }
}

std::chrono::nanoseconds GpuMetricsSource::round() {
  if (!std::exchange(sampling_, true)) {
    for_each_gpu([](Watched& gpu) { gpu.sampler->start(); });
  } else {
    for_each_gpu([this](Watched& gpu) { take(gpu); });
  }
  return std::min<std::chrono::nanoseconds>(kSamplesARound * period_, kLongestPause);
}

void GpuMetricsSource::window_ended() {
  if (!std::exchange(sampling_, false)) return;
  for_each_gpu([this](Watched& gpu) {
    gpu.sampler->stop();
    take(gpu);
  });
}

void GpuMetricsSource::ends(bool) { watched_.clear(); }

void GpuMetricsSource::take(Watched& gpu) {
  std::vector<GpuMetricSampler::Sample> taken;
  const auto outcome = gpu.sampler->take(taken);
  if (outcome == GpuMetricSampler::Taken::some_lost && !std::exchange(gpu.loss_said, true)) {
    say(store::Severity::warning, "samples of GPU " + std::to_string(gpu.id) +
                                      " were lost: they arrived faster than this process could "
                                      "read them; use a longer --gpu-metrics-period");
  }
  if (taken.empty()) return;
  if (!std::exchange(values_computed_, true)) values_need_stop_();
  if (std::abs(taken.back().end_ns - store::utc_now_ns()) > kSameClock_ns) {
    throw std::runtime_error("GPU sample times do not match the host clock: " +
                             std::to_string(taken.back().end_ns) + " ns");
  }
  const std::lock_guard lock(mutex_);
  const std::vector<std::string>* metrics = nullptr;
  for (const auto& known : metric_names_) {
    if (*known == gpu.sampler->metrics()) metrics = known.get();
  }
  if (metrics == nullptr) {
    metric_names_.push_back(std::make_unique<std::vector<std::string>>(gpu.sampler->metrics()));
    metrics = metric_names_.back().get();
  }
  for (GpuMetricSampler::Sample& sample : taken) {
    if (samples_.size() < most_samples_) {
      samples_.push_back({gpu.id, metrics, std::move(sample)});
    } else {
      ++dropped_;
    }
  }
}

bool GpuMetricsSource::drain(store::ProfileWriter& writer, const std::atomic<int>& wanted) {
  std::vector<Sample> samples;
  std::uint64_t dropped = 0;
  {
    const std::lock_guard lock(mutex_);
    samples.swap(samples_);
    dropped = dropped_;
  }
  for (const Sample& s : samples) {
    store::GpuMetricSample row{s.sample.end_ns - session_start_ns(), s.device_id, {}};
    for (std::size_t i = 0; i < s.metrics->size(); ++i) {
      row.values.emplace_back(writer.intern((*s.metrics)[i]), s.sample.values[i]);
    }
    writer.add(row);
  }
  if (dropped != reported_dropped_) {
    reported_dropped_ = dropped;
    writer.set_session_value("droppedGpuMetrics", std::to_string(dropped));
  }
  return GpuWatch::drain(writer, wanted);
}

void GpuMetricsSource::discard() {
  GpuWatch::discard();
  const std::lock_guard lock(mutex_);
  samples_.clear();
}

}  // namespace mansard::collector
