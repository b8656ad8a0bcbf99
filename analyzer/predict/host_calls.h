// SPDX-License-Identifier: Apache-2.0
// Number of host calls that launch the kernels and collectives of a layer. Without CUDA graphs,
// layers with short kernels are launch-bound.
#pragma once

#include "analyzer/predict/training_job.h"

namespace mansard::analysis {

// Forward and backward of one micro-batch. A recomputed layer makes half of the calls again.
double host_calls(const TrainingJob& job, const kernels::TransformerBlocks& block,
                  kernels::Recipe recipe);

}  // namespace mansard::analysis
