// SPDX-License-Identifier: Apache-2.0
// Runs the measurement plan of one device, campaign by campaign.
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

// A step of the plan with the samples of its campaigns so far.
struct StepResult {
  PlannedMeasurement step;
  Measurement measurement;
  std::map<std::string, std::string> parameters;  // chosen in the first campaign
  kernels::PrepareOptions again;                  // the same choices, for later campaigns
  bool failed = false;
};

class DeviceRun {
 public:
  // `journal` may be null. Kernels that do not run here are added to `skipped`, later problems to
  // `warnings`; both must outlive this object.
  DeviceRun(kernels::DeviceInfo device, const PlanOptions& plan, Journal* journal,
            std::vector<std::string>& skipped, std::vector<std::string>& warnings);

  const kernels::DeviceInfo& device() const { return device_; }
  const NvmlDevice* nvml() const { return nvml_.get(); }
  std::vector<StepResult>& results() { return results_; }

  // Makes the device current. Warns first if the device is busy: this process has not used it yet,
  // so the work is that of another process.
  void start();

  // Warns once if other processes have a context on the device.
  void warn_if_shared();

  // Returns false if the result was already in the journal. A kernel that fails is marked as failed
  // and named in the warnings.
  bool run(StepResult& result, int campaign);

  // Returns the model of the measurements so far.
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
