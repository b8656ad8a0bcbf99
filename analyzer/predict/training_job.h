// SPDX-License-Identifier: Apache-2.0
// A training job: model, recipe, and layout over GPUs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/predict/target_machine.h"
#include "kernels/recipes/recipe.h"
#include "kernels/recipes/workloads.h"

namespace mansard::analysis {

enum class Recompute { none, selective, full };

struct TrainingJob {
  kernels::TransformerModel model;
  kernels::Recipe recipe = kernels::Recipe::bf16;
  std::vector<bool> keep_bf16;  // one entry per layer; empty: none
  std::int64_t gpus = 8;
  std::int64_t global_batch = 128;  // sequences
  std::int64_t micro_batch = 1;
  std::int64_t sequence = 8192;
  std::int64_t tensor = 1;
  std::int64_t pipeline = 1;
  std::int64_t virtual_pipeline = 1;
  std::int64_t context = 1;
  bool fully_sharded = false;  // shards parameters, gradients and optimizer (FSDP)
  bool distributed_optimizer = true;
  Recompute recompute = Recompute::none;
  std::int64_t recompute_layers = 0;  // per pipeline stage; 0: all
  std::int64_t offload_layers = 0;    // per stage, with activations in host memory
  bool cuda_graphs = false;           // the host launches CUDA graphs instead of kernels

  std::int64_t data() const { return gpus / (tensor * pipeline * context); }
  std::int64_t micro_batches() const { return global_batch / (data() * micro_batch); }
  std::int64_t tokens_per_micro_batch() const { return micro_batch * sequence / context; }
  bool in_bf16(std::size_t layer) const {
    return recipe == kernels::Recipe::bf16 || (layer < keep_bf16.size() && keep_bf16[layer]);
  }
};

// Returns the precision of a recipe's GEMMs.
Precision precision_of(kernels::Recipe recipe);

// Returns a model's blocks in order, including blocks without attention and FFN.
std::vector<kernels::TransformerBlocks> layers_of(const kernels::TransformerModel& model);

// Returns the layers of each of the pipeline x virtual_pipeline chunks. If the split is even only
// with embedding and head counted as one layer each, the first and last chunk have one layer less
// (like Megatron's account_for_embedding_in_pipeline_split).
std::vector<std::vector<std::size_t>> pipeline_chunks(const TrainingJob& job);

// Returns the layers of each pipeline stage, in order.
std::vector<std::vector<std::size_t>> pipeline_stages(const TrainingJob& job);

// Number of parameters in the matrices and norms of a block.
double parameters_of_block(const kernels::TransformerModel& model,
                           const kernels::TransformerBlocks& block);

// Number of parameters per rank of each pipeline stage: its layers, plus the embedding (first
// stage) or the final norm and the head (last stage).
std::vector<double> parameters_of_stages(const TrainingJob& job);
// Number of parameters on the rank with most.
double parameters_of_rank(const TrainingJob& job);

// "8 GPUs, tensor 2, data 4, fully sharded".
std::string layout_text(const TrainingJob& job);

// "none", "selective" (the attention product), "full" or "full:N". Throws std::runtime_error.
void set_recompute(TrainingJob& job, std::string_view text);

// Throws std::runtime_error if the settings are inconsistent, or the machine has no rate for the
// recipe's format.
void require_possible(const TrainingJob& job, const TargetMachine& machine);

}  // namespace mansard::analysis
