// SPDX-License-Identifier: Apache-2.0
#include "empirical_roofline/device_run.h"

#include <algorithm>

#if MANSARD_HAVE_CUDA
#include <cuda_runtime_api.h>
#endif

#include "empirical_roofline/measure/plateaus.h"
#include "empirical_roofline/summarize.h"
#include "support/statistics.h"

namespace mansard::roofline {
namespace {

void add(StepResult& result, const FinishedCampaign& finished, int campaign) {
  for (Sample sample : finished.measurement.samples) {
    sample.campaign = campaign;
    result.measurement.samples.push_back(sample);
  }
  result.measurement.throttled_by.insert(finished.measurement.throttled_by.begin(),
                                         finished.measurement.throttled_by.end());
  if (result.parameters.empty()) result.parameters = finished.parameters;
  result.again.shape = finished.shape;
}

SweepPoint point_of(const StepResult& r) {
  std::vector<double> values;
  for (const Sample& s : r.measurement.samples) values.push_back(s.value);
  SweepPoint point{r.step.spec->name, static_cast<double>(r.step.prepare.shape.front()),
                   median(values), unit_of(*r.step.spec)};
  if (const auto ranks = r.parameters.find("ranks"); ranks != r.parameters.end()) {
    point.ranks = std::stoi(ranks->second);
    point.call_s = std::stod(r.parameters.at("bus_bytes")) / point.value;
  }
  return point;
}

std::string whole(double bytes) { return std::to_string(static_cast<std::int64_t>(bytes)); }

}  // namespace

DeviceRun::DeviceRun(kernels::DeviceInfo device, const PlanOptions& plan, Journal* journal,
                     std::vector<std::string>& skipped, std::vector<std::string>& warnings)
    : device_(std::move(device)), journal_(journal), warnings_(warnings) {
  for (PlannedMeasurement& step : make_plan(device_, plan, skipped)) {
    StepResult result;
    result.again = step.prepare;
    result.step = std::move(step);
    results_.push_back(std::move(result));
  }
  if (device_.target == kernels::Target::cuda) nvml_ = NvmlDevice::open(device_.uuid);
}

void DeviceRun::start() {
  constexpr double kIdle = 0.05;
  const double utilization = nvml_ == nullptr ? -1 : nvml_->utilization();
  if (utilization > kIdle) {
    warn("was busy " + std::to_string(static_cast<int>(100 * utilization)) +
         " % of the time before the first measurement; results may be too low");
  }
#if MANSARD_HAVE_CUDA
  if (device_.target == kernels::Target::cuda) cudaSetDevice(device_.ordinal);
#endif
}

void DeviceRun::warn_if_shared() {
  if (nvml_ == nullptr || shared_said_) return;
  const int others = nvml_->other_processes();
  if (others <= 0) return;
  shared_said_ = true;
  warn(std::to_string(others) +
       " other process(es) have a context on this GPU; results may be too low");
}

bool DeviceRun::run(StepResult& result, int campaign) {
  const std::string id = result.step.id();
  const std::string who = device_.name + ' ' + device_.uuid;
  if (journal_ != nullptr) {
    if (const FinishedCampaign* done = journal_->find(who, id, campaign)) {
      add(result, *done, campaign);
      return false;
    }
  }
  try {
    const FinishedCampaign finished = measure_campaign(result, campaign);
    if (journal_ != nullptr) journal_->add(who, id, campaign, finished);
    add(result, finished, campaign);
  } catch (const std::exception& error) {
    result.failed = true;
    warn(id + " is left out: " + error.what());
  }
  return true;
}

FinishedCampaign DeviceRun::measure_campaign(const StepResult& result, int campaign) {
  const PlannedMeasurement& step = result.step;
  const std::unique_ptr<kernels::PreparedKernel> kernel = step.spec->prepare(device_, result.again);
  // Later campaigns run the same kernel on the same device, so verify only once.
  if (campaign == 0) require_right(*step.spec, *kernel, device_);
  FinishedCampaign finished;
  finished.measurement =
      step.regime == Regime::sustained
          ? measure_sustained(*step.spec, *kernel, device_, nvml_.get(), step.sustained_s)
          : measure(*step.spec, *kernel, device_, nvml_.get(), step.measure);
  finished.parameters = kernel->parameters();
  finished.shape = kernel->chosen(result.again).shape;
  return finished;
}

DeviceModel DeviceRun::model() {
  DeviceModel model;
  model.device = device_;
  for (const StepResult& r : results_) {
    if (r.failed || r.measurement.samples.empty()) continue;
    if (r.step.swept) model.sweep.push_back(point_of(r));
    if (r.step.is_ceiling()) model.ceilings.push_back(ceiling_of(r));
  }
  add_plateaus(model);
  warn_of_throttling(model.ceilings);
  return model;
}

Ceiling DeviceRun::ceiling_of(const StepResult& r) const {
  const kernels::KernelSpec& spec = *r.step.spec;
  Ceiling c;
  c.id = r.step.id();
  c.role = spec.role;
  c.precision = spec.precision;
  c.level = r.step.level;
  c.overhead = spec.overhead;
  c.roof = spec.roof;
  c.regime = r.step.regime;
  c.data_pattern =
      spec.uses_data_pattern ? std::string(to_string(r.step.prepare.pattern)) : spec.fixed_pattern;
  c.samples = r.measurement.samples;
  for (const std::string& reason : r.measurement.throttled_by) {
    c.throttled_by += (c.throttled_by.empty() ? "" : "; ") + reason;
  }
  c.kernel = spec.name;
  c.parameters = r.parameters;
  c.source = "measured";
  summarize(c, spec, device_);
  return c;
}

// Also adds latency ceilings for tiers that only the sweep shows, from the samples of its points.
void DeviceRun::add_plateaus(DeviceModel& model) const {
  std::map<std::string, std::vector<SweepPoint>> curves;
  for (const SweepPoint& p : model.sweep) {
    if (p.axis() == SweepAxis::working_set) curves[p.kernel].push_back(p);
  }
  for (const auto& [kernel, curve] : curves) {
    const kernels::KernelSpec& spec = *kernels::kernel_registry().find(kernel);
    for (const Plateau& p : find_plateaus(curve, reported_tiers(device_, spec.role))) {
      model.plateaus.push_back(p);
      const std::string id = kernel + "@" + std::string(info(p.level).key);
      if (spec.role != kernels::KernelRole::latency_ceiling || model.find(id) != nullptr) continue;
      model.ceilings.push_back(ceiling_of(merged(spec, p)));
    }
  }
}

StepResult DeviceRun::merged(const kernels::KernelSpec& spec, const Plateau& p) const {
  StepResult all;
  for (const StepResult& r : results_) {
    if (r.step.spec != &spec || r.failed) continue;
    const auto bytes = static_cast<double>(r.step.prepare.shape.front());
    if (bytes < p.first_bytes || bytes > p.last_bytes) continue;
    if (all.step.spec == nullptr) {
      all.step = r.step;
      all.parameters = r.parameters;
    }
    add(all, {r.measurement, {}, {}}, 0);
  }
  all.step.level = p.level;
  all.parameters["working_set_bytes"] = whole(p.first_bytes) + " to " + whole(p.last_bytes);
  return all;
}

// One warning per reason, since a GPU at its power limit throttles most ceilings.
void DeviceRun::warn_of_throttling(const std::vector<Ceiling>& ceilings) {
  std::map<std::string, std::string> ids;
  for (const Ceiling& c : ceilings) {
    const auto throttled = std::ranges::count_if(c.samples, &Sample::throttled);
    if (throttled == 0) continue;
    std::string& list = ids[c.throttled_by];
    list += (list.empty() ? "" : ", ") + c.id + " (" + std::to_string(throttled) + " of " +
            std::to_string(c.samples.size()) + ")";
  }
  for (const auto& [reason, list] : ids) {
    warn("the clock was throttled (" + reason + ") in samples of " + list +
         "; each ceiling lists its measured clock");
  }
}

}  // namespace mansard::roofline
