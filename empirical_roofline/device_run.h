// SPDX-License-Identifier: Apache-2.0
// The plan of one device, carried out campaign by campaign.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "empirical_roofline/journal.h"
#include "empirical_roofline/machine_model.h"
#include "empirical_roofline/plan.h"

namespace mansard::roofline {

// A step with what its campaigns have brought so far.
struct StepResult {
  PlannedMeasurement step;
  Measurement measurement;
  std::map<std::string, std::string> parameters;  // of the first campaign, which made the choices
  kernels::PrepareOptions again;                  // with those choices
  bool failed = false;
};

class DeviceRun {
 public:
  // `journal` may be null. Kernels that do not run here are named in `skipped`, what goes wrong
  // later in `warnings`; both must outlive the run.
  DeviceRun(kernels::DeviceInfo device, const PlanOptions& plan, Journal* journal,
            std::vector<std::string>& skipped, std::vector<std::string>& warnings);

  const kernels::DeviceInfo& device() const { return device_; }
  const NvmlDevice* nvml() const { return nvml_.get(); }
  std::vector<StepResult>& results() { return results_; }

  // Makes the device current. Before that, nothing of this process runs on it, so that work found
  // there is another's.
  void start();

  // Another process's context on the device is said once, however long it stays.
  void warn_if_shared();

  // False when the result was already in the journal. A kernel that fails is marked and named in
  // the warnings.
  bool run(StepResult& result, int campaign);

  // Of what has been measured.
  DeviceModel model();

 private:
  void warn(const std::string& text) { warnings_.push_back(device_.name + ": " + text); }
  void warn_of_throttling(const std::vector<Ceiling>& ceilings);
  FinishedCampaign measure_campaign(const StepResult& result, int campaign);
  Ceiling ceiling_of(const StepResult& result) const;
  void add_plateaus(DeviceModel& model) const;
  StepResult merged(const kernels::KernelSpec& spec, const Plateau& plateau) const;

  kernels::DeviceInfo device_;
  Journal* journal_;
  std::vector<std::string>& warnings_;
  std::unique_ptr<NvmlDevice> nvml_;
  std::vector<StepResult> results_;
  bool shared_said_ = false;
};

}  // namespace mansard::roofline
