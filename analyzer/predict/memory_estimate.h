// SPDX-License-Identifier: Apache-2.0
// What the fullest GPU of a job has to hold: a rough figure, to see what cannot fit.
#pragma once

#include "analyzer/predict/training_job.h"

namespace mansard {

struct MemoryEstimate {
  double weights_bytes = 0;
  double gradients_bytes = 0;
  double optimizer_bytes = 0;
  double activations_bytes = 0;
  double total_bytes() const {
    return weights_bytes + gradients_bytes + optimizer_bytes + activations_bytes;
  }
};

MemoryEstimate estimate_memory(const TrainingJob& job);

}  // namespace mansard
