// SPDX-License-Identifier: Apache-2.0
#include "collector/sources/device_state_source.h"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <utility>

namespace mansard::collector {
namespace {

// NVML calls take driver locks that the program may need, so they get at most 1/20 of the time: 5
// ms of every 100 ms.
constexpr int kCostToPause = 20;
// A single slow round may be noise, or may have woken up the GPU.
constexpr int kSlowRounds = 3;
constexpr int kFailuresToGiveUp = 3;

double ms(std::chrono::nanoseconds time) { return 1e-6 * static_cast<double>(time.count()); }

}  // namespace

DeviceStateSource::DeviceStateSource(std::int64_t session_start_ns, const RecordingWindow& window,
                                     Hooks hooks, std::size_t most_samples)
    : GpuWatch("mansard-device", "GPU state", session_start_ns, std::move(hooks.complain)),
      window_(window),
      period_(std::chrono::milliseconds(window.options().device_state_period_ms)),
      load_(std::move(hooks.load)),
      most_samples_(most_samples) {}

DeviceStateSource::~DeviceStateSource() { stop(std::chrono::hours(1)); }

std::chrono::nanoseconds DeviceStateSource::round() {
  const auto begin = std::chrono::steady_clock::now();
  sample_all();
  return pause_after(std::chrono::steady_clock::now() - begin);
}

// When the process ends, NVML shuts down by itself.
void DeviceStateSource::ends(bool process_goes_on) {
  if (initialized_ && process_goes_on && api_.shutdown != nullptr) api_.shutdown();
}

void DeviceStateSource::open_devices(const std::vector<store::GpuRecord>& gpus) {
  if (!initialized_) {
    api_ = load_();
    const nvml::Return result = api_.init();
    if (result != nvml::kSuccess) throw std::runtime_error("nvmlInit: " + describe(result));
    initialized_ = true;
  }
  for (const store::GpuRecord& gpu : gpus) {
    nvml::Device device = nullptr;
    const nvml::Return result = api_.device_by_uuid(gpu.uuid.c_str(), &device);
    if (result == nvml::kSuccess) {
      watched_.push_back({DeviceSampler(api_, device, gpu.id), gpu.uuid});
    } else {
      say(store::Severity::warning,
          "the state of " + gpu.uuid + " is not recorded: NVML: " + describe(result));
    }
  }
}

void DeviceStateSource::sample_all() {
  std::erase_if(watched_, [this](Watched& gpu) {
    const std::uint32_t epoch = window_.epoch();
    if (epoch % 2 == 0) return false;
    store::DeviceStateSample sample;
    sample.timestamp_ns = store::utc_now_ns() - session_start_ns();
    const DeviceSampler::Outcome outcome = gpu.sampler.sample(sample);
    // Inside the window from start to end of the sample. The end of the program does not change the
    // epoch, so also check over().
    const bool inside = window_.epoch() == epoch && !window_.over();
    if (outcome == DeviceSampler::Outcome::sampled) {
      gpu.failures = 0;
      if (inside) keep(std::move(sample));
      return false;
    }
    if (outcome == DeviceSampler::Outcome::gone) {
      say(store::Severity::error,
          gpu.uuid +
              " is lost according to NVML: it has fallen off the bus, or its driver has failed");
      return true;
    }
    if (++gpu.failures < kFailuresToGiveUp) return false;
    say(store::Severity::warning,
        "NVML cannot report the state of " + gpu.uuid + "; it is no longer sampled");
    return true;
  });
}

void DeviceStateSource::keep(store::DeviceStateSample sample) {
  const std::lock_guard lock(mutex_);
  if (samples_.size() < most_samples_) {
    samples_.push_back(std::move(sample));
  } else {
    ++dropped_;
  }
}

std::chrono::nanoseconds DeviceStateSource::pause_after(std::chrono::nanoseconds cost) {
  const std::chrono::nanoseconds pause = std::max(period_ - cost, kCostToPause * cost);
  slow_rounds_ = pause > period_ ? slow_rounds_ + 1 : 0;
  if (slow_rounds_ >= kSlowRounds && !slowness_said_) {
    slowness_said_ = true;
    char text[200];
    std::snprintf(text, sizeof text,
                  "NVML takes %.1f ms to report the state of the GPUs; they are sampled about "
                  "every %.0f ms instead of every %.0f ms",
                  ms(cost), ms(pause), ms(period_));
    say(store::Severity::info, text);
  }
  return pause;
}

std::string DeviceStateSource::describe(nvml::Return result) const {
  const char* text = api_.error_string != nullptr ? api_.error_string(result) : nullptr;
  return (text != nullptr ? std::string(text) : "error") + " (" + std::to_string(result) + ")";
}

bool DeviceStateSource::drain(store::ProfileWriter& writer, const std::atomic<int>& wanted) {
  std::vector<store::DeviceStateSample> samples;
  std::uint64_t dropped = 0;
  {
    const std::lock_guard lock(mutex_);
    samples.swap(samples_);
    dropped = dropped_;
  }
  for (const store::DeviceStateSample& sample : samples) writer.add(sample);
  if (dropped != reported_dropped_) {
    reported_dropped_ = dropped;
    writer.set_session_value("droppedDeviceStates", std::to_string(dropped));
  }
  return GpuWatch::drain(writer, wanted);
}

void DeviceStateSource::discard() {
  GpuWatch::discard();
  const std::lock_guard lock(mutex_);
  samples_.clear();
}

}  // namespace mansard::collector
