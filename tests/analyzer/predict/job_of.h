// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analyzer/predict/layer_set.h"
#include "analyzer/predict/training_job.h"

namespace mansard::analysis {

// `keep`: layers in BF16, as parse_layer_set() reads them.
inline TrainingJob job_of(const char* model, kernels::Recipe recipe = kernels::Recipe::bf16,
                          const char* keep = "none") {
  TrainingJob job;
  job.model = *kernels::find_transformer_model(model);
  job.recipe = recipe;
  job.keep_bf16 = parse_layer_set(keep, layers_of(job.model).size());
  return job;
}

}  // namespace mansard::analysis
