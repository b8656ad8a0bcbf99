// SPDX-License-Identifier: Apache-2.0
// How often the host has to call a kernel, or a collective, for a layer: without CUDA graphs this
// bounds layers whose kernels are short.
#pragma once

#include "analyzer/predict/training_job.h"

namespace mansard::analysis {

// Forward and backward of one micro-batch; a layer computed again calls half of them once more.
double host_calls(const TrainingJob& job, const kernels::TransformerBlocks& block,
                  kernels::Recipe recipe);

}  // namespace mansard::analysis
