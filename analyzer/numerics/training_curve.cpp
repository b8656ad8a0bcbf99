// SPDX-License-Identifier: Apache-2.0
#include "analyzer/numerics/training_curve.h"

#include <algorithm>

#include "support/units.h"

namespace mansard::analysis {

std::vector<kernels::TrainingProgress> training_curve(const store::Profile& profile) {
  std::vector<kernels::TrainingProgress> curve;
  const std::vector<store::TrainingStepRow>& rows = profile.training_steps;
  for (std::size_t first = 0; first < rows.size();) {
    std::size_t end = first;
    double loss = 0;
    double validation = 0;
    std::size_t validations = 0;
    for (; end < rows.size() && rows[end].step.step == rows[first].step.step; ++end) {
      loss += rows[end].step.loss;
      if (!rows[end].step.validation_loss) continue;
      validation += *rows[end].step.validation_loss;
      ++validations;
    }
    kernels::TrainingProgress& step = curve.emplace_back(rows[first].step);
    step.loss = loss / static_cast<double>(end - first);
    step.validation_loss = validations > 0
                               ? std::optional(validation / static_cast<double>(validations))
                               : std::nullopt;
    first = end;
  }
  return curve;
}

std::size_t final_steps(std::size_t steps) { return std::clamp<std::size_t>(steps / 20, 1, 50); }

std::optional<FinalLoss> final_loss(const std::vector<kernels::TrainingProgress>& curve) {
  if (curve.empty()) return std::nullopt;
  FinalLoss last;
  last.step = curve.back().step;
  last.tokens = curve.back().tokens;
  last.steps = final_steps(curve.size());
  for (std::size_t i = curve.size() - last.steps; i < curve.size(); ++i) last.loss += curve[i].loss;
  last.loss /= static_cast<double>(last.steps);
  for (const kernels::TrainingProgress& step : curve) {
    if (!step.validation_loss) continue;
    last.validation = step.validation_loss;
    last.validation_step = step.step;
  }
  return last;
}

std::string step_text(std::int64_t step) { return "step " + format_whole(step); }

}  // namespace mansard::analysis
