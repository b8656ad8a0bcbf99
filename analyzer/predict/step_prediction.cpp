// SPDX-License-Identifier: Apache-2.0
#include "analyzer/predict/step_prediction.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "analyzer/predict/layer_cost.h"

namespace mansard {
namespace {

double& part_of(StepPrediction& p, StepPart part) {
  return p.parts_s[static_cast<std::size_t>(part)];
}

// Layers alike cost alike: each kind is looked at once.
class CachedCosts {
 public:
  CachedCosts(const TrainingJob& job, const LayerCosts& costs) : job_(job), costs_(costs) {}

  const LayerCost& of(const TransformerBlocks& block, bool in_bf16) {
    const std::tuple key(block.attention, block.ffn, in_bf16);
    const auto found = known_.find(key);
    if (found != known_.end()) return found->second;
    return known_.emplace(key, costs_.layer(block, in_bf16 ? Recipe::bf16 : job_.recipe))
        .first->second;
  }

 private:
  const TrainingJob& job_;
  const LayerCosts& costs_;
  std::map<std::tuple<bool, std::int64_t, bool>, LayerCost> known_;
};

// What a stage computes a second time of a layer.
double recompute_s(const TrainingJob& job, const LayerCost& cost, std::int64_t layer_of_stage) {
  if (job.recompute == Recompute::none) return 0;
  if (job.recompute == Recompute::selective) return cost.forward.attention_s;
  const bool all = job.recompute_layers == 0;
  return all || layer_of_stage < job.recompute_layers ? cost.forward.total_s() : 0;
}

void add_direction(StepPrediction& p, const DirectionCost& cost, double times) {
  part_of(p, StepPart::attention) += times * cost.attention_s;
  part_of(p, StepPart::elementwise) += times * cost.elementwise_s;
  part_of(p, StepPart::conversion) += times * cost.conversion_s;
  part_of(p, StepPart::tensor) += times * cost.tensor_s;
  part_of(p, StepPart::context) += times * cost.context_s;
}

// A recipe in FP8 gathers its parameters converted; NVFP4 and BF16 in BF16.
double gathered_bytes(Recipe recipe) {
  return recipe == Recipe::bf16 || recipe == Recipe::nvfp4 ? 2 : operand_bytes(recipe);
}

// Gradients reduced and parameters gathered, less what hides behind `compute_s`.
double data_traffic_s(const TrainingJob& job, const Communication& links, const Assumptions& a,
                      double step_s, double micro_batch_s) {
  const double parameters = parameters_of_rank(job);
  const double gradients = parameters * a.gradient_bytes;
  const double weights = parameters * gathered_bytes(job.recipe);
  double traffic_s = 0;
  double window_s = micro_batch_s;
  if (job.fully_sharded) {
    // Forward and backward of every micro-batch gather the weights anew.
    traffic_s = static_cast<double>(job.micro_batches()) * links.data_s(2 * weights + gradients);
    window_s = step_s;
  } else if (job.distributed_optimizer) {
    traffic_s = links.data_s(gradients + weights);
  } else {
    traffic_s = 2 * links.data_s(gradients);  // an all-reduce
  }
  return std::max((1 - a.data_overlap) * traffic_s, traffic_s - window_s);
}

double optimizer_s(const TrainingJob& job, const KernelTimes& kernels, const Assumptions& a) {
  const bool shared = job.fully_sharded || job.distributed_optimizer;
  const double ranks = shared ? static_cast<double>(job.data() * job.context) : 1;
  return kernels.elementwise_s(parameters_of_rank(job) / ranks * a.optimizer_bytes, 4);
}

// One sigma of each part. GEMMs share one set of measurements, so their errors do not average out.
std::array<double, kStepParts> part_errors_s(const StepPrediction& p, double gemm_error,
                                             double bf16_error) {
  std::array<double, kStepParts> errors = {};
  for (const StepPartInfo& part : step_parts()) {
    const double relative = part.part == StepPart::gemm   ? gemm_error
                            : part.part == StepPart::head ? bf16_error
                                                          : part.relative_error;
    errors[static_cast<std::size_t>(part.part)] = relative * p.part_s(part.part);
  }
  return errors;
}

}  // namespace

const std::array<StepPartInfo, kStepParts>& step_parts() {
  static const std::array<StepPartInfo, kStepParts> parts = {{
      {StepPart::gemm, "gemm", "GEMMs of the layers", 0, "measured linear layers"},
      {StepPart::head, "head", "GEMMs of the head, in BF16", 0, "measured linear layers"},
      {StepPart::attention, "attention", "attention", 0.10, "cuDNN's published rates"},
      {StepPart::elementwise, "elementwise", "norms, SwiGLU, rope, residuals, loss", 0.20,
       "bytes over bandwidth"},
      {StepPart::conversion, "conversion", "conversions (amax, casts, transforms)", 0.30,
       "bytes over bandwidth"},
      {StepPart::recompute, "recompute", "recomputed layers", 0.15, "forward again"},
      {StepPart::tensor, "tensor", "tensor-parallel traffic in sight", 0.50, "link model"},
      {StepPart::context, "context", "context-parallel traffic in sight", 0.50, "link model"},
      {StepPart::pipeline, "pipeline", "pipeline traffic in sight", 0.50, "link model"},
      {StepPart::data, "data", "gradient and parameter traffic in sight", 0.50, "link model"},
      {StepPart::optimizer, "optimizer", "optimizer", 0.20, "bytes over bandwidth"},
      {StepPart::imbalance, "imbalance", "waiting for the slowest stage", 0.30,
       "stages of unequal work"},
      {StepPart::bubble, "bubble", "filling and draining the pipeline", 0.30,
       "(p - 1) / v micro-batches"},
  }};
  return parts;
}

StepPrediction predict_step(const TrainingJob& job, const TargetMachine& machine,
                            const Assumptions& assumptions) {
  require_possible(job, machine);
  const LayerCosts costs(job, machine, assumptions);
  CachedCosts cached(job, costs);
  const std::vector<TransformerBlocks> layers = layers_of(job.model);
  const auto stages = static_cast<std::size_t>(job.pipeline);
  // Of the whole step, as the mean over stages: the difference to the slowest is `imbalance`.
  const double times = static_cast<double>(job.micro_batches()) / static_cast<double>(stages);

  StepPrediction p;
  p.job = job;
  p.gemm_by_layer_s.resize(layers.size());
  std::vector<double> stage_s(stages);
  std::vector<std::int64_t> layers_of_stage(stages);
  const auto chunks = pipeline_chunks(job);
  for (std::size_t c = 0; c < chunks.size(); ++c) {
    const std::size_t stage = c % stages;
    for (const std::size_t layer : chunks[c]) {
      const LayerCost& cost = cached.of(layers[layer], job.in_bf16(layer));
      const double again_s = recompute_s(job, cost, layers_of_stage[stage]++);
      stage_s[stage] += cost.total_s() + again_s;
      p.gemm_by_layer_s[layer] = times * (cost.forward.gemm_s + cost.backward.gemm_s);
      part_of(p, StepPart::gemm) += p.gemm_by_layer_s[layer];
      part_of(p, StepPart::recompute) += times * again_s;
      add_direction(p, cost.forward, times);
      add_direction(p, cost.backward, times);
    }
  }
  const LayerCost head = costs.head();
  stage_s.back() += head.total_s();
  part_of(p, StepPart::head) = times * (head.forward.gemm_s + head.backward.gemm_s);
  add_direction(p, head.forward, times);
  add_direction(p, head.backward, times);

  // Each chunk hands its output on, and its gradient back.
  const double boundary_bytes = 2 * static_cast<double>(job.tokens_per_micro_batch()) *
                                static_cast<double>(job.model.hidden) /
                                static_cast<double>(job.tensor);
  const double hand_on_s = (1 - assumptions.layer_overlap) * 2 *
                           static_cast<double>(job.virtual_pipeline) *
                           costs.links().pipeline_s(boundary_bytes);
  const auto micro_batches = static_cast<double>(job.micro_batches());
  const double mean_s =
      std::accumulate(stage_s.begin(), stage_s.end(), 0.0) / static_cast<double>(stages);
  const double slowest_s = *std::max_element(stage_s.begin(), stage_s.end());
  part_of(p, StepPart::pipeline) = micro_batches * hand_on_s;
  part_of(p, StepPart::imbalance) = micro_batches * (slowest_s - mean_s);
  part_of(p, StepPart::bubble) = (slowest_s + hand_on_s) * static_cast<double>(stages - 1) /
                                 static_cast<double>(job.virtual_pipeline);
  const double compute_s = std::accumulate(p.parts_s.begin(), p.parts_s.end(), 0.0);
  part_of(p, StepPart::data) =
      data_traffic_s(job, costs.links(), assumptions, compute_s, slowest_s);
  part_of(p, StepPart::optimizer) = optimizer_s(job, costs.kernels(), assumptions);

  p.step_s = std::accumulate(p.parts_s.begin(), p.parts_s.end(), 0.0);
  p.part_errors_s = part_errors_s(p, costs.kernels().gemm_error(job.recipe),
                                  costs.kernels().gemm_error(Recipe::bf16));
  double squares = std::pow(p.step_s * assumptions.software_spread, 2);
  for (const double error : p.part_errors_s) squares += error * error;
  p.error_s = std::sqrt(squares);
  p.model_flop_per_s_per_gpu =
      p.tokens_per_s_per_gpu() * job.model.training_flop_per_token(job.sequence);
  p.memory = estimate_memory(job);
  return p;
}

}  // namespace mansard
