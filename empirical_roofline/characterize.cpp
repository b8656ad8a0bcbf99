// SPDX-License-Identifier: Apache-2.0
#include "empirical_roofline/characterize.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <stdexcept>
#include <unistd.h>

#if MANSARD_HAVE_CUDA
#include <cuda_runtime_api.h>
#endif

namespace mansard {
namespace {

// One line of the plan: a kernel on a device at one size and with one data pattern.
struct Step {
  const KernelSpec* spec;
  PrepareOptions prepare;
  bool swept = false;
  std::optional<MemoryLevel> level;
};

bool is_ceiling(const KernelSpec& spec) { return spec.role != KernelRole::operation; }

bool wanted(const KernelSpec& spec, const std::vector<std::string>& only) {
  return only.empty() || std::find(only.begin(), only.end(), spec.name) != only.end();
}

void require_known(const std::vector<std::string>& only) {
  for (const std::string& name : only) {
    const KernelSpec* spec = kernel_registry().find(name);
    if (spec == nullptr || !is_ceiling(*spec)) {
      throw std::runtime_error("there is no ceiling '" + name +
                               "'; 'mansard list ceilings' shows them");
    }
  }
}

std::vector<Step> plan(const DeviceInfo& device, const CharacterizeOptions& options,
                       std::vector<std::string>& skipped) {
  std::vector<Step> steps;
  for (const KernelSpec& spec : kernel_registry().all()) {
    if (!is_ceiling(spec) || spec.target != device.target || !wanted(spec, options.only)) continue;
    const std::string reason = spec.unsupported ? spec.unsupported(device) : "";
    if (!reason.empty()) {
      skipped.push_back(spec.name + ": " + reason);
      continue;
    }
    if (spec.working_sets) {
      for (const WorkingSet& set : spec.working_sets(device)) {
        PrepareOptions prepare;
        prepare.shape = {static_cast<std::int64_t>(set.bytes)};
        steps.push_back({&spec, prepare, true, set.level});
      }
      continue;
    }
    // What the data holds changes the power and so the clock of arithmetic; traffic of the memory
    // kernels here is the same for any content.
    const bool patterned =
        spec.role == KernelRole::compute_ceiling && device.target == Target::cuda;
    for (const DataPattern pattern :
         patterned ? options.patterns : std::vector{DataPattern::random_normal}) {
      PrepareOptions prepare;
      prepare.pattern = pattern;
      steps.push_back({&spec, prepare, false, spec.level});
    }
  }
  return steps;
}

// A point of a curve that is no tier needs to be seen, not known to the last digit.
MeasureOptions options_for(const Step& step, MeasureOptions options) {
  if (!step.swept || step.level) return options;
  options.warm_up_s = 0.02;
  options.stop.min_samples = std::min(options.stop.min_samples, 5);
  options.stop.min_time_s = 0;
  options.stop.max_time_s = std::min(options.stop.max_time_s, 0.15);
  return options;
}

Ceiling to_ceiling(const Step& step, const PreparedKernel& kernel, Measurement measured,
                   bool has_pattern) {
  Ceiling c;
  c.id = step.spec->name;
  if (step.swept && step.level) c.id += "@" + std::string(info(*step.level).key);
  if (has_pattern) c.data_pattern = to_string(step.prepare.pattern);
  if (has_pattern && step.prepare.pattern != DataPattern::random_normal) {
    c.id += "@" + c.data_pattern;
  }
  c.role = step.spec->role;
  c.precision = step.spec->precision;
  c.level = step.level;
  c.unit = measured.unit;
  c.value = measured.value;
  c.spread = measured.spread;
  c.samples = std::move(measured.samples);
  c.clock_hz = measured.clock_hz;
  c.power_w = measured.power_w;
  c.fraction_of_theory_at_clock = measured.fraction_of_theory_at_clock;
  c.kernel = step.spec->name;
  c.parameters = kernel.parameters();
  c.source = "measured";
  return c;
}

std::string now_utc() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm utc{};
  gmtime_r(&now, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

Provenance provenance(const std::string& command, const Nvml* nvml) {
  Provenance p;
  p.date_utc = now_utc();
  char host[256] = "";
  if (::gethostname(host, sizeof host - 1) == 0) p.host = host;
  p.mansard_version = MANSARD_VERSION;
  p.command = command;
  if (nvml != nullptr) p.driver_version = nvml->driver_version();
#if MANSARD_HAVE_CUDA
  if (nvml != nullptr) {
    p.cuda_version =
        std::to_string(CUDART_VERSION / 1000) + "." + std::to_string(CUDART_VERSION % 1000 / 10);
  }
#endif
  return p;
}

void warn_of_throttling(const Ceiling& c, std::vector<std::string>& warnings) {
  const auto throttled = std::count_if(c.samples.begin(), c.samples.end(),
                                       [](const Sample& s) { return s.throttled; });
  if (throttled == 0) return;
  warnings.push_back(c.id + ": the clock was held down (power or heat) in " +
                     std::to_string(throttled) + " of " + std::to_string(c.samples.size()) +
                     " samples; the clock seen is in the model");
}

}  // namespace

Characterization characterize(const CharacterizeOptions& options,
                              const std::function<void(const Progress&)>& progress) {
  require_known(options.only);
  std::vector<DeviceInfo> devices;
  if (options.cuda) devices = cuda_devices();
  if (options.host) devices.push_back(host_device());

  Characterization result;
  std::vector<std::vector<Step>> plans;
  Progress state;
  for (const DeviceInfo& device : devices) {
    plans.push_back(plan(device, options, result.skipped));
    state.total += static_cast<int>(plans.back().size());
  }

  std::unique_ptr<Nvml> first_gpu;
  for (std::size_t d = 0; d < devices.size(); ++d) {
    const DeviceInfo& device = devices[d];
    std::unique_ptr<Nvml> nvml;
    if (device.target == Target::cuda) {
#if MANSARD_HAVE_CUDA
      cudaSetDevice(device.ordinal);
#endif
      nvml = Nvml::open(device.uuid);
      if (nvml != nullptr && nvml->other_processes() > 0) {
        result.warnings.push_back(device.name + ": " + std::to_string(nvml->other_processes()) +
                                  " other process(es) hold this GPU; figures may be low");
      }
    }
    DeviceModel model;
    model.device = device;
    for (const Step& step : plans[d]) {
      state.device = device.name;
      state.kernel = step.spec->name;
      if (progress) progress(state);
      try {
        const std::unique_ptr<PreparedKernel> kernel = step.spec->prepare(device, step.prepare);
        Measurement measured =
            measure(*step.spec, *kernel, device, nvml.get(), options_for(step, options.measure));
        if (step.swept) {
          model.sweep.push_back(
              {step.spec->name, static_cast<double>(step.prepare.shape[0]), measured.value});
        }
        if (!step.swept || step.level) {
          const bool has_pattern =
              step.spec->role == KernelRole::compute_ceiling && device.target == Target::cuda;
          model.ceilings.push_back(to_ceiling(step, *kernel, std::move(measured), has_pattern));
          warn_of_throttling(model.ceilings.back(), result.warnings);
        }
      } catch (const std::exception& error) {
        result.warnings.push_back(step.spec->name + ": left out: " + error.what());
      }
      ++state.done;
    }
    result.model.devices.push_back(std::move(model));
    if (nvml != nullptr && first_gpu == nullptr) first_gpu = std::move(nvml);
  }
  state.kernel.clear();
  if (progress) progress(state);
  result.model.provenance = provenance(options.command, first_gpu.get());
  result.model.name = devices.empty() ? "" : devices.front().name;
  return result;
}

}  // namespace mansard
