// SPDX-License-Identifier: Apache-2.0
// The result that `mansard train` prints.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/run_analysis.h"
#include "cli/job_board.h"
#include "kernels/mor/representation.h"
#include "kernels/training/replica_sync.h"

namespace mansard::cli {

// Rates are of all ranks. 0: unknown.
struct TrainingResult {
  std::string model, device, recipe;
  std::int64_t steps_done = 0, steps = 0;
  int ranks = 1;
  std::int64_t tokens_per_step = 0;  // of all ranks
  double loss = 0;                   // nats
  std::optional<double> validation_loss;
  std::vector<double> step_times_s;  // of this process
  std::int64_t saves = 0;            // of rank 0, in all of its processes
  double save_s = 0;                 // all of them
  double flop_per_step = 0;
  double peak_flop_per_s = 0, measured_peak_flop_per_s = 0;
  kernels::mor::Counts choices;
  std::vector<kernels::SyncReport> syncs;
  std::vector<RecoveryRecord> recoveries;
};

// Share of the samples of a job whose result is lost: of partial recoveries; 0 for full ones, which
// compute the lost steps again.
double lost_samples(const TrainingResult& result);

// A line about the last step.
std::string progress_line(const TrainingResult& result, double gradient_norm);

analysis::Finding training_finding(const TrainingResult& result);

}  // namespace mansard::cli
