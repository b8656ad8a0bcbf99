// SPDX-License-Identifier: Apache-2.0
#include "kernels/recipes/training_step.h"

#include "kernels/annotation/range.h"

namespace mansard {

TrainingStep::TrainingStep(const std::vector<LinearProblem>& problems, Recipe recipe,
                           Backend& backend)
    : backend_(&backend) {
  layers_.reserve(problems.size());
  for (const LinearProblem& problem : problems) layers_.emplace_back(problem, recipe, backend);
  for (std::size_t i = 0; i < layers_.size(); ++i) order_.push_back({i, Pass::fprop});
  for (std::size_t i = layers_.size(); i-- > 0;) {
    order_.push_back({i, Pass::dgrad});
    order_.push_back({i, Pass::wgrad});
  }
  backend.synchronize();
}

StepTime TrainingStep::run(const std::string& label) {
  // Inside the range until the device is done, so that the range covers the step's work.
  const AnnotatedRange range(label);
  for (std::size_t i = 0; i < order_.size(); ++i) {
    backend_->mark(i);
    layers_[order_[i].layer].run(order_[i].pass);
  }
  backend_->mark(order_.size());
  backend_->synchronize();
  StepTime step{backend_->elapsed_s(0, order_.size()), order_};
  for (std::size_t i = 0; i < order_.size(); ++i) {
    step.passes[i].time_s = backend_->elapsed_s(i, i + 1);
  }
  return step;
}

std::vector<std::string> TrainingStep::verify(int samples, std::uint64_t seed) const {
  std::vector<std::string> faults;
  for (const PassTime& p : order_) {
    std::string fault = layers_[p.layer].verify(p.pass, samples, seed + p.layer);
    if (!fault.empty()) faults.push_back(std::move(fault));
  }
  return faults;
}

}  // namespace mansard
