// SPDX-License-Identifier: Apache-2.0
#include "analyzer/predict/memory_estimate.h"

#include <algorithm>

#include "analyzer/predict/kernel_times.h"

namespace mansard::analysis {
namespace {

constexpr double kBytesPerBf16 = 2;
constexpr double kAdamBytes = 12;  // master weight and two moments in FP32

// Bytes per weight that a layer keeps between micro-batches. On Blackwell, one copy in FP8 with
// per-tensor scales serves forward and backward; earlier GPUs and block scales need two copies.
// NVFP4 also keeps the BF16 weights.
double weight_bytes(kernels::Recipe recipe, int compute_capability) {
  switch (recipe) {
    case kernels::Recipe::bf16:
      return kBytesPerBf16;
    case kernels::Recipe::fp8:
    case kernels::Recipe::fp8_delayed:
      return compute_capability < 100 ? 2 : 1;
    case kernels::Recipe::fp8_block:
    case kernels::Recipe::mxfp8:
      return 2 * operand_bytes(recipe);
    case kernels::Recipe::nvfp4:
      return kBytesPerBf16 + 2 * operand_bytes(recipe);
    case kernels::Recipe::mor_tensor:
    case kernels::Recipe::mor_block:
      break;  // not modeled: require_possible() refuses it
  }
  return kBytesPerBf16;
}

// Bytes per token that a layer keeps for backward, without tensor parallelism: the inputs of norms;
// q, k, v and the attention output; gate and up; and the converted inputs of the four linear
// layers. In BF16 the attention output is also the input of the next linear layer, so it counts
// once.
double kept_bytes(const kernels::TransformerModel& model, const kernels::TransformerBlocks& block,
                  kernels::Recipe recipe) {
  const auto hidden = static_cast<double>(model.hidden);
  const auto q = static_cast<double>(model.q_features());
  const auto kv = static_cast<double>(model.kv_features());
  const auto ffn = static_cast<double>(block.ffn);
  double elements = 0;
  double inputs = 0;
  if (block.attention) {
    elements += hidden + 2 * q + 2 * kv;
    inputs += hidden + (recipe == kernels::Recipe::bf16 ? 0 : q);
  }
  if (block.ffn > 0) {
    elements += hidden + 2 * ffn;
    inputs += hidden + ffn;
  }
  return kBytesPerBf16 * elements + operand_bytes(recipe) * inputs;
}

// Number of micro-batches whose activations a stage holds at once, in units of all its layers. With
// one chunk per stage: the micro-batches between it and the end of the pipeline. With `v` chunks:
// the micro-batches that Megatron's interleaved schedule starts before the first backward.
double in_flight(const TrainingJob& job, std::size_t stage) {
  const auto after = static_cast<double>(job.pipeline) - 1 - static_cast<double>(stage);
  const auto chunks = static_cast<double>(job.virtual_pipeline);
  const double held =
      job.virtual_pipeline == 1
          ? after + 1
          : (2 * after + (chunks - 1) * static_cast<double>(job.pipeline) + 1) / chunks;
  return std::min(held, static_cast<double>(job.micro_batches()));
}

class StageMemory {
 public:
  StageMemory(const TrainingJob& job, const TargetMachine& machine, const Assumptions& assumptions)
      : job_(job),
        machine_(machine),
        assumptions_(assumptions),
        layers_(layers_of(job.model)),
        stages_(pipeline_stages(job)),
        parameters_(parameters_of_stages(job)) {}

  std::size_t stages() const { return stages_.size(); }

  MemoryEstimate of(std::size_t stage) const {
    MemoryEstimate m;
    const auto tensor = static_cast<double>(job_.tensor);
    double converted = 0;  // parameters of transformer layers
    double largest = 0;
    for (const std::size_t layer : stages_[stage]) {
      const double parameters = parameters_of_block(job_.model, layers_[layer]) / tensor;
      converted += parameters;
      m.weights_bytes += parameters * weight_bytes(recipe_of(layer), machine_.compute_capability);
      largest = std::max(largest, parameters);
    }
    m.weights_bytes += (parameters_[stage] - converted) * kBytesPerBf16;
    m.gradients_bytes = parameters_[stage] * assumptions_.gradient_bytes;
    m.optimizer_bytes = parameters_[stage] * kAdamBytes;
    const auto ranks = static_cast<double>(job_.data() * job_.context);
    if (job_.fully_sharded) {
      // One shard, plus buffers for two full layers: one in use, one in transfer.
      m.weights_bytes = m.weights_bytes / ranks + 2 * largest * kBytesPerBf16;
      m.gradients_bytes = m.gradients_bytes / ranks + 2 * largest * assumptions_.gradient_bytes;
    }
    if (job_.fully_sharded || job_.distributed_optimizer) m.optimizer_bytes /= ranks;
    m.activations_bytes = activations_bytes(stage);
    return m;
  }

 private:
  kernels::Recipe recipe_of(std::size_t layer) const {
    return job_.in_bf16(layer) ? kernels::Recipe::bf16 : job_.recipe;
  }

  double activations_bytes(std::size_t stage) const {
    const double tokens =
        static_cast<double>(job_.tokens_per_micro_batch()) / static_cast<double>(job_.tensor);
    double kept = 0;
    double largest = 0;
    for (std::size_t i = 0; i < stages_[stage].size(); ++i) {
      const std::size_t layer = stages_[stage][i];
      const double whole = kept_bytes(job_.model, layers_[layer], recipe_of(layer));
      largest = std::max(largest, whole);
      kept += kept_of(static_cast<std::int64_t>(i), layers_[layer], whole);
    }
    double bytes = tokens * kept * in_flight(job_, stage);
    // One layer being recomputed or copied from the host.
    if (job_.recompute == Recompute::full || job_.offload_layers > 0) bytes += tokens * largest;
    // Logits in BF16 and FP32.
    if (stage + 1 == stages_.size()) {
      bytes += tokens * static_cast<double>(job_.model.vocabulary) * (2 + 4);
    }
    return bytes;
  }

  double kept_of(std::int64_t layer_of_stage, const kernels::TransformerBlocks& block,
                 double whole) const {
    if (layer_of_stage < job_.offload_layers) return 0;
    const bool again = job_.recompute == Recompute::full &&
                       (job_.recompute_layers == 0 || layer_of_stage < job_.recompute_layers);
    const bool empty = !block.attention && block.ffn == 0;
    return again && !empty ? kBytesPerBf16 * static_cast<double>(job_.model.hidden) : whole;
  }

  const TrainingJob& job_;
  const TargetMachine& machine_;
  const Assumptions& assumptions_;
  std::vector<kernels::TransformerBlocks> layers_;
  std::vector<std::vector<std::size_t>> stages_;
  std::vector<double> parameters_;
};

}  // namespace

MemoryEstimate estimate_memory(const TrainingJob& job, const TargetMachine& machine,
                               const Assumptions& assumptions) {
  const StageMemory memory(job, machine, assumptions);
  MemoryEstimate fullest;
  for (std::size_t stage = 0; stage < memory.stages(); ++stage) {
    const MemoryEstimate m = memory.of(stage);
    if (m.total_bytes() > fullest.total_bytes()) fullest = m;
  }
  return fullest;
}

}  // namespace mansard::analysis
