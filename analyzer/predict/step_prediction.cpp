// SPDX-License-Identifier: Apache-2.0
#include "analyzer/predict/step_prediction.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "analyzer/predict/host_calls.h"
#include "analyzer/predict/layer_cost.h"

namespace mansard::analysis {
namespace {

double& part_of(StepPrediction& p, StepPart part) {
  return p.parts_s[static_cast<std::size_t>(part)];
}

PhaseWork& phase_of(StepPrediction& p, StepPhase phase) {
  return p.phases[static_cast<std::size_t>(phase)];
}

// Caches the cost of each kind of layer.
class CachedCosts {
 public:
  CachedCosts(const TrainingJob& job, const LayerCosts& costs) : job_(job), costs_(costs) {}

  const LayerCost& of(const kernels::TransformerBlocks& block, bool in_bf16) {
    const std::tuple key(block.attention, block.ffn, in_bf16);
    const auto found = known_.find(key);
    if (found != known_.end()) return found->second;
    return known_.emplace(key, costs_.layer(block, in_bf16 ? kernels::Recipe::bf16 : job_.recipe))
        .first->second;
  }

 private:
  const TrainingJob& job_;
  const LayerCosts& costs_;
  std::map<std::tuple<bool, std::int64_t, bool>, LayerCost> known_;
};

// Whether a stage recomputes a layer.
bool computed_again(const TrainingJob& job, std::int64_t layer_of_stage) {
  if (job.recompute != Recompute::full) return false;
  return job.recompute_layers == 0 || layer_of_stage < job.recompute_layers;
}

double recompute_s(const TrainingJob& job, const LayerCost& cost, std::int64_t layer_of_stage) {
  if (job.recompute == Recompute::selective) return cost.forward.attention_s;
  return computed_again(job, layer_of_stage) ? cost.forward.total_s() : 0;
}

void add_work(PhaseWork& phase, const DirectionCost& cost, double times) {
  for (const auto& [precision, flop] : cost.flop) phase.flop[precision] += times * flop;
  phase.traffic.add(cost.traffic, times);
}

void add_direction(StepPrediction& p, StepPhase phase, const DirectionCost& cost, double times) {
  part_of(p, StepPart::attention) += times * cost.attention_s;
  part_of(p, StepPart::elementwise) += times * cost.elementwise_s;
  part_of(p, StepPart::conversion) += times * cost.conversion_s;
  part_of(p, StepPart::tensor) += times * cost.tensor_s;
  part_of(p, StepPart::context) += times * cost.context_s;
  add_work(phase_of(p, phase), cost, times);
}

// Recomputation is part of backward.
void add_recompute(StepPrediction& p, const LayerCost& cost, std::int64_t layer_of_stage,
                   double times) {
  part_of(p, StepPart::recompute) += times * recompute_s(p.job, cost, layer_of_stage);
  PhaseWork& backward = phase_of(p, StepPhase::backward);
  if (p.job.recompute == Recompute::selective) {
    backward.flop[Precision::bf16] += times * cost.forward.attention_flop;
  } else if (computed_again(p.job, layer_of_stage)) {
    add_work(backward, cost.forward, times);
  }
}

// Bytes per gathered parameter: FP8 recipes gather converted parameters; NVFP4 and BF16 gather
// BF16.
double gathered_bytes(kernels::Recipe recipe) {
  return recipe == kernels::Recipe::bf16 || recipe == kernels::Recipe::nvfp4
             ? 2
             : operand_bytes(recipe);
}

// Gradient reduction and parameter gathering.
LinkTraffic data_traffic(const TrainingJob& job, const Communication& links, const Assumptions& a) {
  using enum CollectiveOperation;
  const double parameters = parameters_of_rank(job);
  const double gradients = parameters * a.gradient_bytes;
  const double weights = parameters * gathered_bytes(job.recipe);
  LinkTraffic traffic;
  if (job.fully_sharded) {
    // Forward and backward of every micro-batch gather the weights of each layer.
    const double layers = std::ceil(static_cast<double>(layers_of(job.model).size()) /
                                    static_cast<double>(job.pipeline));
    const auto times = static_cast<double>(job.micro_batches());
    traffic.add(links.data(all_gather, 2 * weights, 2 * layers), times);
    traffic.add(links.data(reduce_scatter, gradients, layers), times);
  } else if (job.distributed_optimizer) {
    traffic.add(links.data(reduce_scatter, gradients, 1));
    traffic.add(links.data(all_gather, weights, 1));
  } else {
    traffic.add(links.data(all_reduce, gradients, 1));
  }
  return traffic;
}

// Adds the exchange of gradients and parameters, which compute of `step_s` or, unless fully
// sharded, of one micro-batch can hide.
void add_exchange(StepPrediction& p, const Communication& links, const Assumptions& a,
                  double step_s, double micro_batch_s) {
  const TrainingJob& job = p.job;
  PhaseWork& exchange = phase_of(p, StepPhase::exchange);
  exchange.traffic = data_traffic(job, links, a);
  const double traffic_s = exchange.traffic.longest_s();
  const double window_s = job.fully_sharded ? step_s : micro_batch_s;
  part_of(p, StepPart::data) = std::max((1 - a.data_overlap) * traffic_s, traffic_s - window_s);
  const double windows = job.fully_sharded ? 1 : static_cast<double>(job.micro_batches());
  for (const StepPhase phase : {StepPhase::forward, StepPhase::backward}) {
    for (const auto& [precision, flop] : phase_of(p, phase).flop) {
      exchange.flop[precision] += flop / windows;
    }
  }
}

double optimizer_s(const TrainingJob& job, const KernelTimes& kernels, const Assumptions& a) {
  const bool shared = job.fully_sharded || job.distributed_optimizer;
  const double ranks = shared ? static_cast<double>(job.data() * job.context) : 1;
  return kernels.elementwise_s(parameters_of_rank(job) / ranks * a.optimizer_bytes, 4);
}

// GEMM error of a layer: independent errors of its shapes.
double gemm_error_of(const LayerCost& cost) {
  return std::sqrt(cost.forward.gemm_error2_s2 + cost.backward.gemm_error2_s2);
}

// Adds the relative error (one sigma) of each part to the error of the GEMM shapes.
void add_part_errors(StepPrediction& p, double attention_error) {
  for (const StepPartInfo& part : step_parts()) {
    double& error_s = p.part_errors_s[static_cast<std::size_t>(part.part)];
    const double relative =
        part.part == StepPart::attention ? attention_error : part.relative_error;
    error_s = std::hypot(error_s, relative * p.part_s(part.part));
  }
}

// One micro-batch on one stage.
struct StageTime {
  double device_s = 0;
  double host_s = 0;  // to launch all kernels without CUDA graphs

  // The host runs ahead of the device by up to about a thousand launches, so only totals over
  // several layers matter.
  double waiting_s() const { return std::max(0.0, host_s - device_s); }
  double total_s() const { return device_s + waiting_s(); }
};

double call_s(const TrainingJob& job, const TargetMachine& machine, const Assumptions& a) {
  if (job.cuda_graphs) return 0;
  return machine.grace_host ? a.grace_call_s : a.x86_call_s;
}

}  // namespace

const std::array<StepPartInfo, kStepParts>& step_parts() {
  static const std::array<StepPartInfo, kStepParts> parts = {{
      {StepPart::gemm, "gemm", "GEMMs of the layers", 0.04, "measured linear layers"},
      {StepPart::head, "head", "GEMMs of the language-model head (BF16)", 0.04,
       "measured linear layers"},
      {StepPart::attention, "attention", "attention", 0, "cuDNN's published rates"},
      {StepPart::elementwise, "elementwise", "norms, SwiGLU, RoPE, residuals, loss", 0.20,
       "bytes / bandwidth"},
      {StepPart::conversion, "conversion", "conversions (amax, casts, transforms)", 0.30,
       "bytes / bandwidth"},
      {StepPart::recompute, "recompute", "recomputed layers", 0.15, "forward time"},
      {StepPart::tensor, "tensor", "exposed tensor-parallel communication", 0.50,
       "datasheet bandwidth"},
      {StepPart::context, "context", "exposed context-parallel communication", 0.50,
       "datasheet bandwidth"},
      {StepPart::pipeline, "pipeline", "exposed pipeline communication", 0.50,
       "datasheet bandwidth"},
      {StepPart::data, "data", "exposed gradient and parameter communication", 0.50,
       "datasheet bandwidth"},
      {StepPart::optimizer, "optimizer", "optimizer", 0.20, "bytes / bandwidth"},
      {StepPart::host, "host", "launch-bound: waiting for the host", 0.50,
       "host calls x time per call"},
      {StepPart::imbalance, "imbalance", "pipeline imbalance (slowest stage)", 0.30,
       "unequal stage times"},
      {StepPart::bubble, "bubble", "pipeline bubble (fill and drain)", 0.30,
       "(p - 1) / v micro-batches"},
  }};
  return parts;
}

namespace {

// Adds the layers and the head to the parts, as means over stages. Returns the time of each stage.
std::vector<StageTime> add_stages(StepPrediction& p, const TargetMachine& machine,
                                  const Assumptions& assumptions, const LayerCosts& costs) {
  const TrainingJob& job = p.job;
  CachedCosts cached(job, costs);
  const std::vector<kernels::TransformerBlocks> layers = layers_of(job.model);
  const double times = static_cast<double>(job.micro_batches()) / static_cast<double>(job.pipeline);
  const double host_call_s = call_s(job, machine, assumptions);
  p.gemm_by_layer_s.resize(layers.size());
  double& gemm_error_s = p.part_errors_s[static_cast<std::size_t>(StepPart::gemm)];
  std::vector<StageTime> stages;
  for (const std::vector<std::size_t>& stage : pipeline_stages(job)) {
    StageTime time;
    for (std::size_t i = 0; i < stage.size(); ++i) {
      const std::size_t layer = stage[i];
      const LayerCost& cost = cached.of(layers[layer], job.in_bf16(layer));
      const auto layer_of_stage = static_cast<std::int64_t>(i);
      const double again_s = recompute_s(job, cost, layer_of_stage);
      const double calls =
          host_calls(job, layers[layer], job.in_bf16(layer) ? kernels::Recipe::bf16 : job.recipe);
      time.device_s += cost.total_s() + again_s;
      time.host_s += host_call_s * calls * (computed_again(job, layer_of_stage) ? 1.5 : 1);
      p.gemm_by_layer_s[layer] = times * (cost.forward.gemm_s + cost.backward.gemm_s);
      part_of(p, StepPart::gemm) += p.gemm_by_layer_s[layer];
      gemm_error_s += times * gemm_error_of(cost);
      add_recompute(p, cost, layer_of_stage, times);
      add_direction(p, StepPhase::forward, cost.forward, times);
      add_direction(p, StepPhase::backward, cost.backward, times);
    }
    stages.push_back(time);
  }
  const LayerCost head = costs.head();
  stages.back().device_s += head.total_s();
  part_of(p, StepPart::head) = times * (head.forward.gemm_s + head.backward.gemm_s);
  p.part_errors_s[static_cast<std::size_t>(StepPart::head)] = times * gemm_error_of(head);
  add_direction(p, StepPhase::forward, head.forward, times);
  add_direction(p, StepPhase::backward, head.backward, times);
  for (const StageTime& stage : stages) part_of(p, StepPart::host) += times * stage.waiting_s();
  return stages;
}

// Traffic of a stage in one micro-batch in one direction of the pipeline: each chunk sends its
// output forward and its gradient backward.
LinkTraffic boundary_traffic(const TrainingJob& job, const Communication& links) {
  const double boundary_bytes = 2 * static_cast<double>(job.tokens_per_micro_batch()) *
                                static_cast<double>(job.model.hidden) /
                                static_cast<double>(job.tensor);
  return LinkTraffic().add(links.pipeline(boundary_bytes),
                           static_cast<double>(job.virtual_pipeline));
}

}  // namespace

StepPrediction predict_step(const TrainingJob& job, const TargetMachine& machine,
                            const Assumptions& assumptions) {
  require_possible(job, machine);
  StepPrediction p;
  p.job = job;
  const LayerCosts costs(p.job, machine, assumptions);
  const std::vector<StageTime> stages = add_stages(p, machine, assumptions, costs);

  const auto count = static_cast<double>(stages.size());
  const auto micro_batches = static_cast<double>(job.micro_batches());
  double mean_s = 0;
  double slowest_s = 0;
  for (const StageTime& stage : stages) {
    mean_s += stage.total_s() / count;
    slowest_s = std::max(slowest_s, stage.total_s());
  }
  const LinkTraffic boundary = boundary_traffic(job, costs.links());
  const double boundary_s = (1 - assumptions.layer_overlap) * 2 * boundary.longest_s();
  phase_of(p, StepPhase::forward).traffic.add(boundary, micro_batches);
  phase_of(p, StepPhase::backward).traffic.add(boundary, micro_batches);
  part_of(p, StepPart::pipeline) = micro_batches * boundary_s;
  part_of(p, StepPart::imbalance) = micro_batches * (slowest_s - mean_s);
  part_of(p, StepPart::bubble) =
      (slowest_s + boundary_s) * (count - 1) / static_cast<double>(job.virtual_pipeline);
  const double compute_s = std::accumulate(p.parts_s.begin(), p.parts_s.end(), 0.0);
  add_exchange(p, costs.links(), assumptions, compute_s, slowest_s);
  p.link_roofs = costs.links().roofs();
  p.measured_collectives = costs.links().measured();
  part_of(p, StepPart::optimizer) = optimizer_s(job, costs.kernels(), assumptions);

  p.step_s = std::accumulate(p.parts_s.begin(), p.parts_s.end(), 0.0);
  add_part_errors(p, costs.kernels().attention_error());
  double squares = std::pow(p.step_s * assumptions.software_spread, 2);
  for (const double error : p.part_errors_s) squares += error * error;
  p.error_s = std::sqrt(squares);
  p.model_flop_per_s_per_gpu =
      p.tokens_per_s_per_gpu() * job.model.training_flop_per_token(job.sequence);
  p.memory = estimate_memory(job, machine, assumptions);
  return p;
}

}  // namespace mansard::analysis
