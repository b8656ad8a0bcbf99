// SPDX-License-Identifier: Apache-2.0
#include "kernels/recipes/training_step.h"

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "kernels/annotation/range.h"

namespace mansard::kernels {
namespace {

std::vector<PassTime> order_of(std::size_t layers, int micro_batches) {
  std::vector<PassTime> order;
  for (int m = 0; m < micro_batches; ++m) {
    const MicroBatch which = m == 0 ? MicroBatch::first : MicroBatch::later;
    for (std::size_t i = 0; i < layers; ++i) order.push_back({i, Pass::fprop, which});
    for (std::size_t i = layers; i-- > 0;) {
      order.push_back({i, Pass::dgrad, which});
      order.push_back({i, Pass::wgrad, which});
    }
  }
  return order;
}

// Magnitudes typical of training: activations near 1, weights near 1/64, small gradients. Powers of
// two change the exponents only.
void fill_tensors(const LayerTensors& t, const LinearProblem& p, Backend& backend) {
  backend.fill(t.x.as<Bf16>(), p.tokens * p.in_features, p.pattern, 3 * p.seed, 0);
  backend.fill(t.w.as<Bf16>(), p.out_features * p.in_features, p.pattern, 3 * p.seed + 1, -6);
  backend.fill(t.dy.as<Bf16>(), p.tokens * p.out_features, p.pattern, 3 * p.seed + 2, -10);
}

}  // namespace

TrainingStep::TrainingStep(const std::vector<LinearProblem>& problems, Recipe recipe,
                           Backend& backend, int micro_batches, const RecipeOptions& options)
    : backend_(&backend),
      micro_batches_(micro_batches),
      order_(order_of(problems.size(), micro_batches)) {
  if (problems.empty() || micro_batches < 1) {
    throw std::invalid_argument("a step needs at least one layer and one micro-batch");
  }
  std::vector<ReservedLayer> reserved;
  for (const LinearProblem& problem : problems) {
    reserved.push_back(reserve_layer(problem, recipe, backend, arena_, options));
  }
  const Buffer workspace = arena_.share(Scratch::gemm_workspace, backend.gemm_workspace_bytes());
  arena_.allocate(backend);
  for (ReservedLayer& layer : reserved) {
    fill_tensors(layer.tensors, layer.problem, backend);
    layers_.emplace_back(std::move(layer), micro_batches, workspace.as<void>(), backend);
  }
  backend.synchronize();
}

void TrainingStep::enqueue() {
  const std::size_t passes = order_.size() / static_cast<std::size_t>(micro_batches_);
  for (std::size_t i = 0; i < order_.size();) {
    std::optional<AnnotatedRange> range;
    if (micro_batches_ > 1) range.emplace("micro-batch " + std::to_string(i / passes));
    for (const std::size_t end = i + passes; i < end; ++i) {
      backend_->mark(i);
      layers_[order_[i].layer].run(order_[i].pass, order_[i].which, operands_);
    }
  }
  backend_->mark(order_.size());
}

StepTime TrainingStep::run(const std::string& label) {
  // Synchronize inside the range, so that it covers the step's work on the device.
  const AnnotatedRange range(label);
  if (replay_) {
    replay_();
  } else {
    enqueue();
  }
  backend_->synchronize();
  StepTime step{backend_->elapsed_s(0, order_.size()), order_};
  for (std::size_t i = 0; i < order_.size(); ++i) {
    step.passes[i].time_s = backend_->elapsed_s(i, i + 1);
  }
  return step;
}

void TrainingStep::record() {
  run("step before recording");
  const AnnotatedRange range("recording");
  replay_ = backend_->record([this] { enqueue(); });
}

std::vector<std::string> TrainingStep::verify(int samples, std::uint64_t seed) const {
  std::vector<std::string> faults;
  for (const PassTime& p : order_of(layers_.size(), std::min(micro_batches_, 2))) {
    std::string fault = layers_[p.layer].verify(p.pass, p.which, samples, seed + p.layer);
    if (!fault.empty()) faults.push_back(std::move(fault));
  }
  return faults;
}

}  // namespace mansard::kernels
