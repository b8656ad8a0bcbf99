// SPDX-License-Identifier: Apache-2.0
// The job that someone asks for: what is given, and for the rest the settings of the nearest
// published one.
#pragma once

#include <optional>
#include <string>

#include "analyzer/predict/training_job.h"

namespace mansard::analysis {

struct JobRequest {
  kernels::TransformerModel model;
  std::string machine;  // as published_steps.csv names it; empty: none of those
  std::optional<std::string> keep_bf16, recompute;
  std::optional<std::int64_t> gpus, global_batch, micro_batch, sequence;
  std::optional<std::int64_t> tensor, pipeline, virtual_pipeline, context, offload;
  std::string sharding;  // none, optimizer or full; empty: as published
  bool cuda_graphs = false;
};

struct ChosenJob {
  TrainingJob job;
  std::string note;  // names each setting that was not given, and where it is from
};

// `layout` says which recipe's published row the settings come from: the two sides of a comparison
// share it and differ in recipe and in the layers kept in BF16. Settings that belong to a pipeline
// or a way of sharding (pieces of a stage, recomputing, offloading) are taken over only with these.
// Throws std::runtime_error where something cannot be read.
ChosenJob choose_job(const JobRequest& request, kernels::Recipe recipe, kernels::Recipe layout);

}  // namespace mansard::analysis
