// SPDX-License-Identifier: Apache-2.0
#include "analyzer/predict/memory_estimate.h"

#include <algorithm>

#include "analyzer/predict/layer_cost.h"

namespace mansard {

MemoryEstimate estimate_memory(const TrainingJob& job) {
  const double parameters = parameters_of_rank(job);
  const auto ranks = static_cast<double>(job.data() * job.context);
  const double sharded = job.fully_sharded ? ranks : 1;
  MemoryEstimate m;
  // NVFP4 keeps BF16 weights beside the converted ones; FP8 only the converted.
  const double converted = job.recipe == Recipe::bf16 ? 0 : 2 * operand_bytes(job.recipe);
  const double kept = job.recipe == Recipe::bf16 || job.recipe == Recipe::nvfp4 ? 2 : 0;
  m.weights_bytes = parameters * (kept + converted) / sharded;
  m.gradients_bytes = parameters * (job.fully_sharded ? 2 / ranks : 4);
  m.optimizer_bytes =
      parameters * 12 / (job.fully_sharded || job.distributed_optimizer ? ranks : 1);

  // Of a layer: residual stream twice, inputs of the GEMMs as converted, q, k, v, attention's
  // output, gate and up. The first stage holds most micro-batches.
  const double tokens =
      static_cast<double>(job.tokens_per_micro_batch()) / static_cast<double>(job.tensor);
  const auto hidden = static_cast<double>(job.model.hidden);
  const auto q = static_cast<double>(job.model.heads * TransformerModel::kHeadSize);
  const auto kv = static_cast<double>(job.model.kv_heads * TransformerModel::kHeadSize);
  double layers_bytes = 0;
  const bool all_again = job.recompute == Recompute::full && job.recompute_layers == 0;
  for (const TransformerBlocks& block : layers_of(job.model)) {
    const auto ffn = static_cast<double>(block.ffn);
    double elements = 2 * hidden;
    double inputs = 0;
    if (block.attention) {
      elements += 2 * q + 2 * kv;
      inputs += hidden + q;
    }
    if (block.ffn > 0) {
      elements += 2 * ffn;
      inputs += hidden + ffn;
    }
    layers_bytes += all_again ? 2 * hidden : 2 * elements + inputs * operand_bytes(job.recipe);
  }
  const auto pipeline = static_cast<double>(job.pipeline);
  const double in_flight =
      std::min(static_cast<double>(job.micro_batches()) * pipeline,
               pipeline + (pipeline - 1) / static_cast<double>(job.virtual_pipeline));
  m.activations_bytes = tokens * layers_bytes * in_flight / pipeline;
  if (job.pipeline == 1) {  // logits in BF16 and FP32
    m.activations_bytes += tokens * static_cast<double>(job.model.vocabulary) * 6;
  }
  return m;
}

}  // namespace mansard
