// SPDX-License-Identifier: Apache-2.0
// What the fullest GPU of a job has to hold: a rough figure, to see what cannot fit.
#pragma once

#include "analyzer/predict/assumptions.h"
#include "analyzer/predict/training_job.h"

namespace mansard::analysis {

struct MemoryEstimate {
  double weights_bytes = 0;
  double gradients_bytes = 0;
  double optimizer_bytes = 0;
  double activations_bytes = 0;
  // What neither recomputing nor offloading of activations can help.
  double parameters_bytes() const { return weights_bytes + gradients_bytes + optimizer_bytes; }
  double total_bytes() const { return parameters_bytes() + activations_bytes; }
};

// Of the pipeline stage that needs most.
MemoryEstimate estimate_memory(const TrainingJob& job, const TargetMachine& machine,
                               const Assumptions& assumptions);

}  // namespace mansard::analysis
