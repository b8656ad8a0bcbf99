// SPDX-License-Identifier: Apache-2.0
#include "empirical_roofline/characterize.h"

#include <algorithm>
#include <chrono>
#include <sstream>

#include "empirical_roofline/device_run.h"
#include "empirical_roofline/provenance.h"

namespace mansard::roofline {
namespace {

// Estimates the remaining time: expected time left, scaled by actual / expected time so far.
class Estimate {
 public:
  explicit Estimate(double expected_s) : expected_left_s_(expected_s) {}
  void finished(double expected_s, bool was_measured) {
    expected_left_s_ -= expected_s;
    if (was_measured) measured_s_ += expected_s;
  }
  double left_s() const {
    if (measured_s_ <= 0) return -1;
    const double elapsed_s = std::chrono::duration<double>(Clock::now() - start_).count();
    return std::max(0.0, expected_left_s_) * elapsed_s / measured_s_;
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
  double expected_left_s_;
  double measured_s_ = 0;
};

// Runs each campaign over all steps of the device, so that the campaigns of a step do not share a
// clock, a temperature or a memory allocation. Sustained loads run after all bursts, at the end of
// the last campaign.
void run_device(DeviceRun& run, Progress& state, Estimate& estimate,
                const std::function<void(const Progress&)>& progress) {
  run.start();
  int campaigns = 0;
  for (const StepResult& r : run.results()) campaigns = std::max(campaigns, r.step.campaigns);
  for (int campaign = 0; campaign < campaigns; ++campaign) {
    run.warn_if_shared();
    for (StepResult& result : run.results()) {
      const bool sustained = result.step.regime == Regime::sustained;
      if (sustained ? campaign + 1 < campaigns : campaign >= result.step.campaigns) continue;
      state.device = run.device().name;
      state.kernel = result.step.id();
      state.left_s = estimate.left_s();
      if (progress) progress(state);
      const bool measured = !result.failed && run.run(result, sustained ? 0 : campaign);
      estimate.finished(result.step.expected_s(), measured);
      ++state.done;
    }
  }
}

}  // namespace

Characterization characterize(const CharacterizeOptions& options,
                              const std::function<void(const Progress&)>& progress) {
  require_ceilings(options.plan.only);
  std::vector<kernels::DeviceInfo> devices;
  if (options.cuda) devices = kernels::cuda_devices();
  if (options.host) devices.push_back(kernels::host_device());

  Characterization result;
  std::vector<DeviceRun> runs;
  Progress state;
  double expected_s = 0;
  for (const kernels::DeviceInfo& device : devices) {
    runs.emplace_back(device, options.plan, options.journal, result.skipped, result.warnings);
    for (const StepResult& r : runs.back().results()) {
      state.total += r.step.campaigns;
      expected_s += r.step.campaigns * r.step.expected_s();
    }
  }

  Estimate estimate(expected_s);
  const NvmlDevice* first_gpu = nullptr;
  for (DeviceRun& run : runs) {
    run_device(run, state, estimate, progress);
    result.model.devices.push_back(run.model());
    if (first_gpu == nullptr) first_gpu = run.nvml();
  }
  state.kernel.clear();
  state.left_s = 0;
  if (progress) progress(state);
  result.model.provenance = provenance_now(options.command, first_gpu);
  result.model.name = devices.empty() ? "" : devices.front().name;
  return result;
}

std::string settings_of(const CharacterizeOptions& options) {
  const PlanOptions& plan = options.plan;
  const StoppingRule& stop = plan.measure.stop;
  std::ostringstream text;
  text << "mansard " << MANSARD_VERSION << ", devices" << (options.cuda ? " gpu" : "")
       << (options.host ? " cpu" : "") << ", campaigns " << plan.campaigns << ", curves "
       << plan.curves << ", sustained " << plan.sustained_s << " s, samples " << stop.min_samples
       << ", time " << stop.min_time_s << " to " << stop.max_time_s << " s, uncertainty "
       << stop.max_uncertainty << ", rest " << plan.measure.rest << ", patterns";
  for (const kernels::DataPattern p : plan.patterns) text << ' ' << to_string(p);
  text << ", only";
  for (const std::string& name : plan.only) text << ' ' << name;
  return text.str();
}

}  // namespace mansard::roofline
