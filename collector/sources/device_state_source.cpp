// SPDX-License-Identifier: Apache-2.0
#include "collector/sources/device_state_source.h"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <utility>

#include "collector/store/quiet_thread.h"

namespace mansard {
namespace {

// Calls of NVML's take locks of the driver that the program may want: they get a twentieth of the
// time at most, 5 ms of every 100.
constexpr int kCostToPause = 20;
// A single round may have been unlucky, or have woken the GPU up.
constexpr int kSlowRounds = 3;
constexpr int kFailuresToGiveUp = 3;

double ms(std::chrono::nanoseconds time) { return 1e-6 * static_cast<double>(time.count()); }

}  // namespace

DeviceStateSource::DeviceStateSource(std::int64_t session_start_ns, const RecordingWindow& window,
                                     Hooks hooks, std::size_t most_samples)
    : session_start_ns_(session_start_ns),
      window_(window),
      period_(std::chrono::milliseconds(window.options().device_state_period_ms)),
      hooks_(std::move(hooks)),
      most_samples_(most_samples) {}

DeviceStateSource::~DeviceStateSource() { stop(std::chrono::hours(1)); }

void DeviceStateSource::set(bool& flag, bool value) {
  const std::lock_guard lock(mutex_);
  flag = value;
  changed_.notify_all();
}

void DeviceStateSource::add_device(const GpuRecord& gpu) {
  const std::lock_guard lock(mutex_);
  if (over_ || stopping_) return;
  new_devices_.push_back(gpu);
  changed_.notify_all();
  if (thread_.joinable()) return;
  try {
    ended_ = false;
    thread_ = start_quiet_thread("mansard-device", [this] { run(); });
  } catch (const std::exception&) {
    // No thread to be had: the recording goes on without.
    ended_ = true;
    over_ = true;
  }
}

bool DeviceStateSource::stop(std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  stopping_ = true;
  changed_.notify_all();
  const bool ended = changed_.wait_for(lock, patience, [this] { return ended_; });
  if (!thread_.joinable()) return ended;
  std::thread thread = std::move(thread_);
  lock.unlock();
  ended ? thread.join() : thread.detach();
  return ended;
}

void DeviceStateSource::run() {
  try {
    sample_until_the_end();
  } catch (const std::exception& error) {
    say(Severity::warning, std::string("the state of the GPUs is not recorded: ") + error.what());
  }
  std::unique_lock lock(mutex_);
  // At the process's end NVML is about to end by itself.
  const bool process_goes_on = !stopping_;
  lock.unlock();
  if (initialized_ && process_goes_on && api_.shutdown != nullptr) api_.shutdown();
  lock.lock();
  over_ = true;  // no more devices
  ended_ = true;
  changed_.notify_all();
}

void DeviceStateSource::sample_until_the_end() {
  std::unique_lock lock(mutex_);
  for (;;) {
    const auto ends = [this] { return stopping_ || over_; };
    changed_.wait(lock,
                  [&] { return ends() || (open_ && !(new_devices_.empty() && watched_.empty())); });
    if (ends()) return;
    const std::vector<GpuRecord> added = std::exchange(new_devices_, {});
    lock.unlock();
    if (!added.empty()) open_devices(added);
    const auto begin = std::chrono::steady_clock::now();
    sample_all();
    const auto pause = pause_after(std::chrono::steady_clock::now() - begin);
    lock.lock();
    changed_.wait_for(lock, pause, [&] { return ends() || !open_; });
  }
}

void DeviceStateSource::open_devices(const std::vector<GpuRecord>& gpus) {
  if (!initialized_) {
    api_ = hooks_.load();
    const nvml::Return result = api_.init();
    if (result != nvml::kSuccess) throw std::runtime_error("nvmlInit: " + describe(result));
    initialized_ = true;
  }
  for (const GpuRecord& gpu : gpus) {
    nvml::Device device = nullptr;
    const nvml::Return result = api_.device_by_uuid(gpu.uuid.c_str(), &device);
    if (result == nvml::kSuccess) {
      watched_.push_back({DeviceSampler(api_, device, gpu.id), gpu.uuid});
    } else {
      say(Severity::warning,
          "the state of " + gpu.uuid + " is not recorded: NVML: " + describe(result));
    }
  }
}

void DeviceStateSource::sample_all() {
  std::erase_if(watched_, [this](Watched& gpu) {
    const std::uint32_t epoch = window_.epoch();
    if (epoch % 2 == 0) return false;
    DeviceStateSample sample;
    sample.timestamp_ns = utc_now_ns() - session_start_ns_;
    const DeviceSampler::Outcome outcome = gpu.sampler.sample(sample);
    // In the window from the first to the last: a program that ends does not change the epoch.
    const bool inside = window_.epoch() == epoch && !window_.over();
    if (outcome == DeviceSampler::Outcome::sampled) {
      gpu.failures = 0;
      if (inside) keep(std::move(sample));
      return false;
    }
    if (outcome == DeviceSampler::Outcome::gone) {
      say(Severity::error,
          gpu.uuid + " has fallen off the bus, or its driver has; NVML calls it lost");
      return true;
    }
    if (++gpu.failures < kFailuresToGiveUp) return false;
    say(Severity::warning,
        "NVML does not tell the state of " + gpu.uuid + "; it is not asked again");
    return true;
  });
}

void DeviceStateSource::keep(DeviceStateSample sample) {
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
                  "NVML takes %.1f ms to tell the state of the GPUs; while it does they are "
                  "sampled about every %.0f ms, not every %.0f",
                  ms(cost), ms(pause), ms(period_));
    say(Severity::info, text);
  }
  return pause;
}

void DeviceStateSource::say(Severity severity, const std::string& text) {
  hooks_.complain(text);
  const std::lock_guard lock(mutex_);
  diagnostics_.push_back({utc_now_ns() - session_start_ns_, severity, text});
}

std::string DeviceStateSource::describe(nvml::Return result) const {
  const char* text = api_.error_string != nullptr ? api_.error_string(result) : nullptr;
  return (text != nullptr ? std::string(text) : "error") + " (" + std::to_string(result) + ")";
}

bool DeviceStateSource::drain(ProfileWriter& writer, const std::atomic<int>&) {
  std::vector<DeviceStateSample> samples;
  std::vector<DiagnosticRecord> diagnostics;
  std::uint64_t dropped = 0;
  {
    const std::lock_guard lock(mutex_);
    samples.swap(samples_);
    diagnostics.swap(diagnostics_);
    dropped = dropped_;
  }
  for (const DeviceStateSample& sample : samples) writer.add(sample);
  for (const DiagnosticRecord& diagnostic : diagnostics) writer.add(diagnostic);
  if (dropped != reported_dropped_) {
    reported_dropped_ = dropped;
    writer.set_session_value("droppedDeviceStates", std::to_string(dropped));
  }
  return false;
}

void DeviceStateSource::discard() {
  const std::lock_guard lock(mutex_);
  samples_.clear();
  diagnostics_.clear();
}

}  // namespace mansard
