// SPDX-License-Identifier: Apache-2.0
// Inputs of the goodput analysis that a user may give, their defaults, and the job that results:
// the options of `mansard predict --goodput` and the fields of the window's Goodput view.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "analyzer/goodput/goodput_finding.h"

namespace mansard::analysis {

// Empty: the default, or what is known of the job.
struct GoodputInputs {
  std::optional<std::int64_t> gpus;
  std::optional<double> gpu_mtbf_h, node_mtbf_h;  // the node's replaces the GPU's
  std::optional<std::int64_t> gpus_per_node;
  std::optional<double> step_s;                  // without synchronization
  std::optional<double> sync_s, sync_exposed_s;  // per step, in the foreground and background
  Synchronization synchronization = Synchronization::background;
  std::optional<double> days, steps;  // length of the run; steps replace days
  std::optional<double> save_s, write_s, load_s, restart_s, detect_s;
  // Size and bandwidth are not used if save_s and load_s are given.
  std::optional<double> parameters, bytes_per_parameter, storage_gb_per_s;
  std::optional<double> every_s;  // checkpoint interval
  Recovery recovery = Recovery::full;
  std::optional<double> lost_samples;
  std::optional<std::int64_t> shards;
  bool replicated = false;
  std::optional<std::int64_t> spares;
  std::optional<double> repair_h;
  WithoutSpare without_spare = WithoutSpare::wait;
};

// Mean of typical steps. All collectives count as synchronization: a profile does not say which of
// them are.
struct MeasuredStep {
  double step_s = 0;
  double exposed_s = 0;        // communication, part of step_s
  double communication_s = 0;  // exposed or hidden
  std::string source;          // "measured"
};

// The part of the job that is known before its goodput.
struct TrainedJob {
  std::string name;  // "llama3-8b in nvfp4 on GB200"; empty: unknown
  std::int64_t gpus = 0;
  std::string gpus_source = "the job";
  double parameters = 0;  // 0: unknown
  std::string parameters_source = "the model";
  bool grace_host = false;
  // The predicted step, with synchronization as predicted (background) and without any overlap.
  std::optional<StepPrediction> background, foreground;
  std::optional<TargetMachine> machine;
  std::optional<MeasuredStep> measured;  // instead of a predicted step
};

// Needs a step time (given, measured or predicted), and parameters unless the times of saving and
// loading are given. Throws std::runtime_error that names an invalid value (require_valid).
GoodputStudy goodput_study(const GoodputInputs& inputs, const TrainedJob& trained);

}  // namespace mansard::analysis
