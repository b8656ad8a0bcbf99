// SPDX-License-Identifier: Apache-2.0
// The loss curve of a training run, from the steps that it recorded.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analyzer/run_analysis.h"

namespace mansard::analysis {

// The recorded steps, ascending, each once. The losses of several ranks of a job are averaged; the
// other values are those of the first rank.
std::vector<kernels::TrainingProgress> training_curve(const store::Profile& profile);

// Number of last steps whose mean loss stands for the end of a curve: the loss of a single step
// depends on its batch. A twentieth of the steps, at most 50.
std::size_t final_steps(std::size_t steps);

struct FinalLoss {
  std::int64_t step = 0;             // the last
  std::int64_t tokens = 0;           // trained on up to it
  double loss = 0;                   // mean of the last steps; NaN: one is not finite
  std::size_t steps = 0;             // in the mean
  std::optional<double> validation;  // the last measured
  std::int64_t validation_step = 0;
};

// nullopt: no steps.
std::optional<FinalLoss> final_loss(const std::vector<kernels::TrainingProgress>& curve);

// Whether the profile has anything to report about training.
inline bool has_training_record(const store::Profile& profile) {
  return !profile.training_steps.empty() || !profile.tensor_numerics.empty();
}

// Whether the run has a training record and no kernels, as the files of `mansard train --record`.
inline bool is_training_record(const RunAnalysis& run) {
  return run.rows.empty() && has_training_record(run.profile);
}

// Whether an analysis has something to say about the run: only "numerics" about a training record
// without kernels.
inline bool applies(const AnalysisSpec& analysis, const RunAnalysis& run) {
  return analysis.name == "numerics" || !is_training_record(run);
}

// "step 39"; steps count from 0.
std::string step_text(std::int64_t step);

}  // namespace mansard::analysis
