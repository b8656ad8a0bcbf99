// SPDX-License-Identifier: Apache-2.0
// Predicts the time of a training step, its parts and its error.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/predict/assumptions.h"
#include "analyzer/predict/memory_estimate.h"
#include "analyzer/predict/training_job.h"

namespace mansard::analysis {

enum class StepPart {
  gemm,
  head,
  attention,
  elementwise,
  conversion,
  recompute,
  tensor,
  context,
  pipeline,
  data,
  optimizer,
  host,
  imbalance,
  bubble,
};

struct StepPartInfo {
  StepPart part;
  std::string_view key;
  std::string_view label;
  double relative_error;  // one sigma; for GEMMs in addition to the errors of their shapes
  std::string_view basis;
};

inline constexpr std::size_t kStepParts = 14;
const std::array<StepPartInfo, kStepParts>& step_parts();

struct StepPrediction {
  TrainingJob job;
  double step_s = 0;   // the sum of the parts
  double error_s = 0;  // one sigma
  std::array<double, kStepParts> parts_s = {};
  std::array<double, kStepParts> part_errors_s = {};  // one sigma
  std::vector<double> gemm_by_layer_s;                // the sum is the part `gemm`
  double model_flop_per_s_per_gpu = 0;
  MemoryEstimate memory;  // for the GPU that needs most

  double part_s(StepPart part) const { return parts_s[static_cast<std::size_t>(part)]; }
  double tokens_per_s_per_gpu() const {
    return static_cast<double>(job.global_batch * job.sequence) / step_s /
           static_cast<double>(job.gpus);
  }
};

// Throws std::runtime_error if the job is impossible (require_possible).
StepPrediction predict_step(const TrainingJob& job, const TargetMachine& machine,
                            const Assumptions& assumptions);

}  // namespace mansard::analysis
