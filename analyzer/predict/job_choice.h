// SPDX-License-Identifier: Apache-2.0
// The requested training job: given settings, completed with those of the nearest published job.
#pragma once

#include <optional>
#include <string>

#include "analyzer/predict/training_job.h"

namespace mansard::analysis {

struct JobRequest {
  kernels::TransformerModel model;
  std::string machine;  // name in published_steps.csv; empty: not listed
  std::optional<std::string> keep_bf16, recompute;
  std::optional<std::int64_t> gpus, global_batch, micro_batch, sequence;
  std::optional<std::int64_t> tensor, pipeline, virtual_pipeline, context, offload;
  std::string sharding;  // none, optimizer or full; empty: use the published setting
  bool cuda_graphs = false;
};

struct ChosenJob {
  TrainingJob job;
  std::string note;  // lists the settings that were not given, and their source
};

// `layout` is the recipe whose published row supplies the settings: both sides of a comparison use
// the same row and differ in recipe and in the layers kept in BF16. Settings that depend on the
// pipeline or the sharding (virtual pipeline, recompute, offload) are used only if these are
// unchanged. Throws std::runtime_error if a setting is invalid.
ChosenJob choose_job(const JobRequest& request, kernels::Recipe recipe, kernels::Recipe layout);

}  // namespace mansard::analysis
