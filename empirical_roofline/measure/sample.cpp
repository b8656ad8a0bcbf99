// SPDX-License-Identifier: Apache-2.0
#include "empirical_roofline/measure/sample.h"

#include <algorithm>

namespace mansard::roofline {
namespace {

bool counts_time(const kernels::KernelSpec& spec) {
  return spec.role == kernels::KernelRole::overhead_ceiling ||
         spec.role == kernels::KernelRole::latency_ceiling;
}

}  // namespace

double amount(const kernels::KernelSpec& spec, const kernels::Work& work) {
  if (counts_time(spec)) return work.operations;
  if (spec.role == kernels::KernelRole::compute_ceiling) return work.flop;
  double bytes = 0;
  for (const auto& [level, count] : work.bytes) bytes = std::max(bytes, count);
  return bytes;
}

SampleReader::SampleReader(const kernels::KernelSpec& spec, kernels::PreparedKernel& kernel,
                           const kernels::DeviceInfo& device, const NvmlDevice* nvml)
    : counts_time_(counts_time(spec)),
      kernel_(kernel),
      nvml_(nvml),
      per_launch_(amount(spec, kernel.work())),
      peak_per_cycle_(spec.peak_per_clock ? device.units * spec.peak_per_clock(device) : 0),
      peak_per_s_(spec.peak_per_s ? spec.peak_per_s(device) : 0) {}

void SampleReader::read(double time_s, int launches, double clock_hz, Measurement& into) {
  Sample sample;
  const double done = per_launch_ * launches;
  sample.value = counts_time_ ? time_s / done : done / time_s;
  const double cycles = kernel_.elapsed_cycles();
  const double device_s = kernel_.elapsed_device_s();
  sample.clock_hz = cycles > 0 && device_s > 0 ? cycles / device_s : clock_hz;
  if (nvml_ != nullptr) {
    const GpuState state = nvml_->state();
    if (sample.clock_hz == 0) sample.clock_hz = state.sm_clock_hz;
    sample.power_w = state.power_w;
    sample.temperature_c = state.temperature_c;
    sample.throttled = state.throttled;
    if (state.throttled) into.throttled_by.insert(state.throttle_reason);
  }
  if (!counts_time_) {
    if (peak_per_s_ > 0) {
      sample.fraction = sample.value / peak_per_s_;
    } else if (cycles > 0 && peak_per_cycle_ > 0) {
      sample.fraction = per_launch_ / (cycles * peak_per_cycle_);
    } else if (sample.clock_hz > 0 && peak_per_cycle_ > 0) {
      sample.fraction = sample.value / (sample.clock_hz * peak_per_cycle_);
    }
  }
  into.samples.push_back(sample);
}

}  // namespace mansard::roofline
