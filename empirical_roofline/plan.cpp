// SPDX-License-Identifier: Apache-2.0
#include "empirical_roofline/plan.h"

#include <algorithm>
#include <stdexcept>

namespace mansard::roofline {
namespace {

bool is_ceiling(const kernels::KernelSpec& spec) {
  return spec.role != kernels::KernelRole::operation;
}

// Points of a sweep that do not represent a tier need less accuracy.
MeasureOptions for_a_point(MeasureOptions options) {
  options.warm_up_s = 0.02;
  options.stop.min_samples = std::min(options.stop.min_samples, 5);
  options.stop.min_time_s = 0;
  options.stop.max_time_s = std::min(options.stop.max_time_s, 0.15);
  return options;
}

std::vector<PlannedMeasurement> sweep_steps(const kernels::KernelSpec& spec,
                                            const kernels::DeviceInfo& device,
                                            const PlanOptions& options) {
  std::vector<PlannedMeasurement> steps;
  for (const kernels::WorkingSet& set : spec.working_sets(device)) {
    if (!set.level && !options.curves) continue;
    PlannedMeasurement step;
    step.spec = &spec;
    step.prepare.shape = {static_cast<std::int64_t>(set.bytes)};
    step.swept = true;
    step.level = set.level;
    step.campaigns = set.level ? options.campaigns : 1;
    step.measure = set.level ? options.measure : for_a_point(options.measure);
    if (!spec.sustained) step.measure.rest = 0;
    steps.push_back(std::move(step));
  }
  return steps;
}

std::vector<PlannedMeasurement> steps_of(const kernels::KernelSpec& spec,
                                         const kernels::DeviceInfo& device,
                                         const PlanOptions& options) {
  if (spec.working_sets) return sweep_steps(spec, device, options);
  std::vector<PlannedMeasurement> steps;
  PlannedMeasurement step;
  step.spec = &spec;
  step.level = spec.level;
  step.campaigns = options.campaigns;
  step.measure = options.measure;
  if (!spec.sustained) step.measure.rest = 0;
  const std::vector<kernels::DataPattern> patterns =
      spec.uses_data_pattern ? options.patterns : std::vector{kernels::DataPattern::random_normal};
  for (const kernels::DataPattern pattern : patterns) {
    step.prepare.pattern = pattern;
    steps.push_back(step);
  }
  const bool sustained = options.sustained_s > 0 && device.target == kernels::Target::cuda &&
                         spec.sustained && spec.sustained(device);
  for (const kernels::DataPattern pattern : patterns) {
    // No program computes on zeros for seconds. Kernels without `roof` run only with the first
    // pattern.
    const bool worth = spec.roof && pattern != kernels::DataPattern::zeros;
    if (!sustained || !(worth || pattern == patterns.front())) continue;
    step.prepare.pattern = pattern;
    step.regime = Regime::sustained;
    step.campaigns = 1;
    step.sustained_s = options.sustained_s;
    steps.push_back(step);
  }
  return steps;
}

}  // namespace

PlanOptions default_plan() {
  PlanOptions plan;
  plan.measure.warm_up_s = 0.1;
  plan.measure.rest = 1;
  plan.measure.stop = {
      .min_samples = 8, .min_time_s = 0.08, .max_time_s = 0.3, .max_uncertainty = 0.002};
  return plan;
}

PlanOptions quick_plan() {
  PlanOptions plan;
  plan.campaigns = 1;
  plan.curves = false;
  plan.measure.warm_up_s = 0.03;
  plan.measure.rest = 1;
  plan.measure.stop = {
      .min_samples = 6, .min_time_s = 0.03, .max_time_s = 0.12, .max_uncertainty = 0.01};
  return plan;
}

PlanOptions full_plan() {
  PlanOptions plan = default_plan();
  plan.patterns = {kernels::DataPattern::random_normal, kernels::DataPattern::random_uniform,
                   kernels::DataPattern::zeros};
  plan.sustained_s = 5;
  return plan;
}

std::string PlannedMeasurement::id() const {
  std::string text = spec->name;
  if (swept) {
    text += level ? "@" + std::string(info(*level).key)
                  : "@" + std::to_string(prepare.shape.front()) + "B";
  }
  if (spec->uses_data_pattern && prepare.pattern != kernels::DataPattern::random_normal) {
    text += "@" + std::string(to_string(prepare.pattern));
  }
  if (regime == Regime::sustained) text += "@sustained";
  return text;
}

double PlannedMeasurement::expected_s() const {
  constexpr double kPrepare_s = 0.1;  // buffers and the check
  if (regime == Regime::sustained) return kPrepare_s + sustained_s;
  const double timed_s = std::max(measure.stop.min_time_s, 0.25 * measure.stop.max_time_s);
  return kPrepare_s + measure.warm_up_s + (1 + measure.rest) * timed_s;
}

std::vector<PlannedMeasurement> make_plan(const kernels::DeviceInfo& device,
                                          const PlanOptions& options,
                                          std::vector<std::string>& skipped) {
  std::vector<PlannedMeasurement> plan;
  for (const kernels::KernelSpec& spec : kernels::kernel_registry().all()) {
    if (!is_ceiling(spec) || spec.target != device.target) continue;
    if (!options.only.empty() &&
        std::find(options.only.begin(), options.only.end(), spec.name) == options.only.end()) {
      continue;
    }
    const std::string reason = spec.unsupported ? spec.unsupported(device) : "";
    if (!reason.empty()) {
      skipped.push_back(spec.name + ": " + reason);
      continue;
    }
    for (PlannedMeasurement& step : steps_of(spec, device, options))
      plan.push_back(std::move(step));
  }
  // Sustained loads last, so that they do not heat the device before the bursts.
  std::stable_partition(plan.begin(), plan.end(),
                        [](const PlannedMeasurement& s) { return s.regime == Regime::burst; });
  return plan;
}

void require_ceilings(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const kernels::KernelSpec* spec = kernels::kernel_registry().find(name);
    if (spec == nullptr || !is_ceiling(*spec)) {
      throw std::runtime_error("unknown ceiling '" + name + "'; 'mansard list ceilings' lists all");
    }
  }
}

}  // namespace mansard::roofline
