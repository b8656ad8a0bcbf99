// SPDX-License-Identifier: Apache-2.0
// The target machine of a prediction: datasheet or measured model, and its interconnect.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "empirical_roofline/collective_fit.h"
#include "empirical_roofline/machine_model.h"

namespace mansard::analysis {

struct TargetMachine {
  std::string name;
  int compute_capability = 0;
  std::map<Precision, double> peak_flop_per_s;  // published, dense
  double hbm_bytes_per_s = 0;
  bool hbm_measured = false;
  std::optional<double> measured_clock_loss;
  // GPUs whose measured linear layers and attention are used, and their peaks.
  std::string layers;
  std::map<Precision, double> layers_peak_flop_per_s;
  std::string attention;
  double attention_peak_flop_per_s = 0;
  bool layers_of_another_gpu = false;
  enum class Kinship { same_gpu, same_architecture, other_architecture };
  Kinship attention_kinship = Kinship::same_gpu;  // of the GPU that `attention` was measured on
  bool grace_host = false;                        // false: x86
  double power_limit_w = 0;
  double memory_bytes = 0;
  double nvlink_bytes_per_s = 0;  // one way
  double nic_bytes_per_s = 0;
  int nvlink_domain = 1;
  std::vector<roofline::CollectiveFit> collectives;  // measured within the domain

  double peak(Precision precision) const;
  // Returns sustained / burst rate in a long run, for work at `fraction` of the peak.
  double sustained(double fraction, double clock_loss) const;
};

std::vector<std::string> target_machine_names();
// Finds a machine by key ("gb200") or datasheet name ("GB200"); std::nullopt if unknown.
std::optional<TargetMachine> find_target_machine(std::string_view name);
// Converts a model from `mansard characterize`. Throws std::runtime_error if its GPU is unknown.
TargetMachine target_machine_of(const roofline::MachineModel& model);

}  // namespace mansard::analysis
