// SPDX-License-Identifier: Apache-2.0
// The difference between the losses of two training runs, and the tensors with the largest
// quantization errors of the second one.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analyzer/run_analysis.h"

namespace mansard::analysis {

// Losses of run A (the baseline) and B at steps that both recorded.
struct LossGap {
  std::int64_t step = 0;      // the last step that is compared
  std::size_t steps = 1;      // whose mean is compared; 1 for a validation loss
  std::int64_t tokens_a = 0;  // trained on, up to this step
  std::int64_t tokens_b = 0;
  double a = 0;  // finite, in nats
  double b = 0;

  double difference() const { return b - a; }
  double relative() const { return (b - a) / a; }
};

// At the last step in which both runs measured it; nullopt: there is none.
std::optional<LossGap> validation_gap(const std::vector<kernels::TrainingProgress>& a,
                                      const std::vector<kernels::TrainingProgress>& b);

// Mean over the last common steps (final_steps()); nullopt: no common steps with finite losses.
std::optional<LossGap> training_gap(const std::vector<kernels::TrainingProgress>& a,
                                    const std::vector<kernels::TrainingProgress>& b);

// The finding "loss"; nullopt if either run recorded no training steps.
std::optional<Finding> loss_finding(const RunAnalysis& a, const RunAnalysis& b);

}  // namespace mansard::analysis
