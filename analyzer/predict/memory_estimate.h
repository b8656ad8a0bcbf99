// SPDX-License-Identifier: Apache-2.0
// Estimates the memory of the GPU that needs most, to detect jobs that cannot fit.
#pragma once

#include "analyzer/predict/assumptions.h"
#include "analyzer/predict/training_job.h"

namespace mansard::analysis {

struct MemoryEstimate {
  double weights_bytes = 0;
  double gradients_bytes = 0;
  double optimizer_bytes = 0;
  double activations_bytes = 0;
  // Memory that recomputing or offloading activations does not reduce.
  double parameters_bytes() const { return weights_bytes + gradients_bytes + optimizer_bytes; }
  double total_bytes() const { return parameters_bytes() + activations_bytes; }
};

// Returns the estimate for the pipeline stage that needs most memory.
MemoryEstimate estimate_memory(const TrainingJob& job, const TargetMachine& machine,
                               const Assumptions& assumptions);

}  // namespace mansard::analysis
