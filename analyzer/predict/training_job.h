// SPDX-License-Identifier: Apache-2.0
// What is trained, in which recipe, and how it is spread over GPUs.
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
  std::vector<bool> keep_bf16;  // one entry a layer; empty: none
  std::int64_t gpus = 8;
  std::int64_t global_batch = 128;  // sequences
  std::int64_t micro_batch = 1;
  std::int64_t sequence = 8192;
  std::int64_t tensor = 1;
  std::int64_t pipeline = 1;
  std::int64_t virtual_pipeline = 1;
  std::int64_t context = 1;
  bool fully_sharded = false;  // parameters too, in place of a distributed optimizer
  bool distributed_optimizer = true;
  Recompute recompute = Recompute::none;
  std::int64_t recompute_layers = 0;  // of each pipeline stage; 0: all of them
  std::int64_t offload_layers = 0;    // of each stage, whose activations lie in the host's memory
  bool cuda_graphs = false;           // the host launches graphs, not kernels one by one

  std::int64_t data() const { return gpus / (tensor * pipeline * context); }
  std::int64_t micro_batches() const { return global_batch / (data() * micro_batch); }
  std::int64_t tokens_per_micro_batch() const { return micro_batch * sequence / context; }
  bool in_bf16(std::size_t layer) const {
    return recipe == kernels::Recipe::bf16 || (layer < keep_bf16.size() && keep_bf16[layer]);
  }
};

// The format that a recipe multiplies in.
Precision precision_of(kernels::Recipe recipe);

// A model's blocks one by one, in order; those left out whole are among them, as empty places.
std::vector<kernels::TransformerBlocks> layers_of(const kernels::TransformerModel& model);

// The layers of each of pipeline x virtual_pipeline chunks. Where they only fit with the embedding
// and the head counted as a layer each, the first and the last chunk have one less, as Megatron's
// account_for_embedding_in_pipeline_split does it.
std::vector<std::vector<std::size_t>> pipeline_chunks(const TrainingJob& job);

// The layers of each pipeline stage, in order.
std::vector<std::vector<std::size_t>> pipeline_stages(const TrainingJob& job);

// Of the matrices and norms of a block.
double parameters_of_block(const kernels::TransformerModel& model,
                           const kernels::TransformerBlocks& block);

// Parameters on a rank of each pipeline stage: its layers, on the first the embedding, on the last
// the final norm and the head.
std::vector<double> parameters_of_stages(const TrainingJob& job);
// On the rank with most of them.
double parameters_of_rank(const TrainingJob& job);

// "8 GPUs, tensor 2, data 4, fully sharded".
std::string layout_text(const TrainingJob& job);

// "none", "selective" (the attention product), "full" or "full:N". Throws std::runtime_error.
void set_recompute(TrainingJob& job, std::string_view text);

// Throws std::runtime_error where the numbers do not go together, or no rate of the recipe's format
// is known of the machine.
void require_possible(const TrainingJob& job, const TargetMachine& machine);

}  // namespace mansard::analysis
