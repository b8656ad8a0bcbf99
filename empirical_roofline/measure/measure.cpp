// SPDX-License-Identifier: Apache-2.0
#include "empirical_roofline/measure/measure.h"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "empirical_roofline/measure/launch_timer.h"
#include "empirical_roofline/measure/sample.h"
#include "support/statistics.h"

namespace mansard::roofline {
namespace {

class Stopwatch {
 public:
  double elapsed_s() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

void pause(double duration_s) {
  if (duration_s > 0) std::this_thread::sleep_for(std::chrono::duration<double>(duration_s));
}

// Runs the kernel until the clock, which leaves its idle value in steps, no longer rises. It may
// then fall because of power or temperature: that is an effect of the load and is not waited for.
void warm_up(kernels::PreparedKernel& kernel, LaunchTimer& timer, double least_s, double rest) {
  constexpr double kMaxFactor = 4;
  constexpr std::size_t kWindow = 4;
  constexpr double kRising = 1.003;
  std::vector<double> clocks_hz;
  const Stopwatch watch;
  for (;;) {
    pause(rest * timer.time_s(kernel));
    const double elapsed_s = watch.elapsed_s();
    const double cycles = kernel.elapsed_cycles();
    const double device_s = kernel.elapsed_device_s();
    if (cycles > 0 && device_s > 0) clocks_hz.push_back(cycles / device_s);
    if (elapsed_s < least_s) continue;
    if (elapsed_s >= kMaxFactor * least_s || clocks_hz.size() < 2 * kWindow) return;
    const auto end = clocks_hz.end();
    const double before = median({end - 2 * kWindow, end - kWindow});
    if (median({end - kWindow, end}) <= kRising * before) return;
  }
}

}  // namespace

void require_right(const kernels::KernelSpec& spec, kernels::PreparedKernel& kernel,
                   const kernels::DeviceInfo& device) {
  const std::string difference = kernel.verify();
  if (difference.empty()) return;
  throw std::runtime_error("kernel '" + spec.name + "' computes a wrong result on " + device.name +
                           ": " + difference);
}

Measurement measure(const kernels::KernelSpec& spec, kernels::PreparedKernel& kernel,
                    const kernels::DeviceInfo& device, const NvmlDevice* nvml,
                    const MeasureOptions& options) {
  const std::unique_ptr<LaunchTimer> timer = make_timer(spec, device);
  warm_up(kernel, *timer, options.warm_up_s, options.rest);
  Measurement result;
  SampleReader reader(spec, kernel, device, nvml);
  std::vector<double> values;
  double timed_s = 0;
  while (!options.stop.done(values, timed_s)) {
    const double time_s = timer->time_s(kernel);
    timed_s += time_s;
    reader.read(time_s, 1, timer->clock_hz(), result);
    pause(options.rest * time_s);
    values.push_back(result.samples.back().value);
  }
  return result;
}

std::size_t settled_from(const std::vector<double>& clocks_hz) {
  constexpr double kStart = 0.01;
  constexpr double kDrift = 0.0025;
  const std::size_t n = clocks_hz.size();
  for (std::size_t from = 0; from + n / 4 < n; ++from) {
    const std::vector<double> rest(clocks_hz.begin() + static_cast<std::ptrdiff_t>(from),
                                   clocks_hz.end());
    const double middle = median(rest);
    const auto half = static_cast<std::ptrdiff_t>((rest.size() + 1) / 2);
    const double first_half = median({rest.begin(), rest.begin() + half});
    if (std::abs(first_half - middle) <= kDrift * middle &&
        std::abs(rest.front() - middle) <= kStart * middle) {
      return from;
    }
  }
  return n;
}

Measurement measure_sustained(const kernels::KernelSpec& spec, kernels::PreparedKernel& kernel,
                              const kernels::DeviceInfo& device, const NvmlDevice* nvml,
                              double duration_s) {
  constexpr double kBatch_s = 0.1;
  const std::unique_ptr<LaunchTimer> single = make_timer(spec, device);
  single->time_s(kernel);
  const int launches = std::max(1, static_cast<int>(kBatch_s / single->time_s(kernel)));
  const auto load = make_load_timer(device);
  Measurement result;
  SampleReader reader(spec, kernel, device, nvml);
  std::vector<double> clocks_hz;
  std::size_t settled = 0;
  const Stopwatch watch;
  for (double until_s = duration_s;;) {
    const double time_s = load->next_s(kernel, launches);
    if (time_s == 0) continue;
    reader.read(time_s, launches, load->clock_hz(), result);
    clocks_hz.push_back(result.samples.back().clock_hz);
    if (watch.elapsed_s() < until_s) continue;
    settled = settled_from(clocks_hz);
    if (settled <= clocks_hz.size() / 2 || until_s > duration_s) break;
    until_s = 2 * duration_s;
  }
  // If the clock never settled, keep the last quarter; the spread shows the drift.
  settled = std::min(settled, 3 * result.samples.size() / 4);
  for (std::size_t i = 0; i < settled; ++i) result.samples[i].settling = true;
  return result;
}

}  // namespace mansard::roofline
