// SPDX-License-Identifier: Apache-2.0
// The options of `mansard predict --goodput`, and the job that they describe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>

#include "analyzer/goodput/goodput_finding.h"

namespace mansard::cli {

struct GoodputOptions {
  bool enabled = false;
  std::optional<double> gpu_mtbf_h, node_mtbf_h;
  std::optional<std::int64_t> gpus_per_node;
  std::optional<double> step_s, sync_s, sync_exposed_s;
  std::string sync = "background";
  std::optional<double> days, steps;
  std::optional<double> save_s, write_s, load_s, restart_s, detect_s;
  std::optional<double> bytes_per_parameter, storage_gb_per_s;
  std::optional<double> every_s;
  std::string recovery = "full";
  std::optional<double> lost_samples;
  std::optional<std::int64_t> shards;
  std::optional<std::int64_t> spares;
  std::optional<double> repair_h;
  std::string without_spare = "wait";
  bool simulate = false;
  analysis::SimulationOptions simulation;
};

// The declared options belong to the group "Goodput" of the help and need --goodput.
void declare_goodput(CLI::App& app, GoodputOptions& options);

// The part of the job that is known before its goodput.
struct TrainedJob {
  std::string name;  // "llama3-8b in nvfp4 on GB200"; empty: unknown
  std::int64_t gpus = 0;
  double parameters = 0;  // 0: unknown
  bool grace_host = false;
  // The predicted step, with synchronization as predicted (background) and without any overlap.
  std::optional<analysis::StepPrediction> background, foreground;
  std::optional<analysis::TargetMachine> machine;
};

// Throws UsageError if an option is missing or invalid.
analysis::GoodputStudy goodput_study(const GoodputOptions& options, const TrainedJob& trained);

}  // namespace mansard::cli
