// SPDX-License-Identifier: Apache-2.0
// Predicts the time of a training step, its parts and its error.
#pragma once

#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/predict/assumptions.h"
#include "analyzer/predict/communication.h"
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

// Work of one GPU in a part of the step, as the mean over the pipeline's stages.
enum class StepPhase { forward, backward, exchange };

struct PhaseWork {
  std::map<Precision, double> flop;  // executed, with recomputed layers
  LinkTraffic traffic;
};

inline constexpr std::size_t kStepPhases = 3;

struct StepPrediction {
  TrainingJob job;
  double step_s = 0;   // the sum of the parts
  double error_s = 0;  // one sigma
  std::array<double, kStepParts> parts_s = {};
  std::array<double, kStepParts> part_errors_s = {};  // one sigma
  std::vector<double> gemm_by_layer_s;                // the sum is the part `gemm`
  double model_flop_per_s_per_gpu = 0;
  MemoryEstimate memory;  // for the GPU that needs most
  // By StepPhase. The phase `exchange` is that of gradients and parameters, with the FLOPs behind
  // which it can hide, which also count in the other phases: those of a micro-batch or, fully
  // sharded, of the step.
  std::array<PhaseWork, kStepPhases> phases;
  std::vector<roofline::Ceiling> link_roofs;   // Communication::roofs()
  std::set<std::string> measured_collectives;  // Communication::measured()

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
