// SPDX-License-Identifier: Apache-2.0
#include "empirical_roofline/measure/measure.h"

#include <chrono>
#include <stdexcept>

#include "empirical_roofline/measure/launch_timer.h"
#include "empirical_roofline/measure/statistics.h"

namespace mansard {
namespace {

std::unique_ptr<LaunchTimer> timer_for(const KernelSpec& spec, const DeviceInfo& device) {
#if MANSARD_HAVE_CUDA
  if (spec.target == Target::cuda) {
    return spec.role == KernelRole::overhead_ceiling ? make_wall_timer(device)
                                                     : make_event_timer(device);
  }
#endif
  if (spec.target == Target::cuda) throw std::logic_error("this build cannot time CUDA kernels");
  static_cast<void>(device);
  return make_host_timer();
}

// What one launch amounts to, in the numerator of the ceiling's unit.
double amount(const KernelSpec& spec, const Work& work) {
  if (spec.role == KernelRole::compute_ceiling) return work.flop;
  if (spec.role == KernelRole::overhead_ceiling) return work.operations;
  double bytes = 0;
  for (const auto& [level, count] : work.bytes) bytes = std::max(bytes, count);
  return bytes;
}

double median_of_known(const std::vector<double>& values) {
  return values.empty() ? 0 : median(values);
}

}  // namespace

Measurement measure(const KernelSpec& spec, PreparedKernel& kernel, const DeviceInfo& device,
                    const Nvml* nvml, const MeasureOptions& options) {
  const std::string difference = kernel.verify();
  if (!difference.empty()) {
    throw std::runtime_error("kernel '" + spec.name + "' computes a wrong result on " +
                             device.name + ": " + difference);
  }
  const std::unique_ptr<LaunchTimer> timer = timer_for(spec, device);
  const double per_launch = amount(spec, kernel.work());
  const bool is_overhead = spec.role == KernelRole::overhead_ceiling;

  using Clock = std::chrono::steady_clock;
  const auto since = [](Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  const Clock::time_point warm_up = Clock::now();
  do {
    timer->time_s(kernel);
  } while (since(warm_up) < options.warm_up_s);

  Measurement result;
  std::vector<double> values;
  std::vector<double> clocks;
  std::vector<double> powers;
  std::vector<double> fractions;
  double timed_s = 0;
  const double peak_per_clock = spec.peak_per_clock ? spec.peak_per_clock(device) : 0;
  while (!options.stop.done(values, timed_s)) {
    const double time_s = timer->time_s(kernel);
    timed_s += time_s;
    Sample sample;
    sample.value = is_overhead ? time_s / per_launch : per_launch / time_s;
    const double cycles = kernel.elapsed_cycles();
    const double device_s = kernel.elapsed_device_s();
    if (cycles > 0 && device_s > 0) sample.clock_hz = cycles / device_s;
    if (nvml != nullptr) {
      const GpuState state = nvml->state();
      if (sample.clock_hz == 0) sample.clock_hz = state.sm_clock_hz;
      sample.power_w = state.power_w;
      sample.throttled = state.throttled;
    }
    if (cycles > 0 && peak_per_clock > 0) {
      fractions.push_back(per_launch / (cycles * device.units * peak_per_clock));
    }
    if (sample.clock_hz > 0) clocks.push_back(sample.clock_hz);
    if (sample.power_w > 0) powers.push_back(sample.power_w);
    values.push_back(sample.value);
    result.samples.push_back(sample);
  }
  result.unit = is_overhead ? "s" : spec.role == KernelRole::compute_ceiling ? "FLOP/s" : "B/s";
  result.value = median(values);
  result.spread = relative_spread(values);
  result.clock_hz = median_of_known(clocks);
  result.power_w = median_of_known(powers);
  result.fraction_of_theory_at_clock = median_of_known(fractions);
  return result;
}

}  // namespace mansard
