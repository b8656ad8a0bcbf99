// SPDX-License-Identifier: Apache-2.0
// A training step of several linear layers. For each micro-batch: fprop through all of them, then
// dgrad and wgrad in reverse order, timed pass by pass where the backend computes. All
// micro-batches read the same x and dy.
#pragma once

#include <string>
#include <vector>

#include "kernels/recipes/linear_layer.h"

namespace mansard::kernels {

struct PassTime {
  std::size_t layer = 0;
  Pass pass = Pass::fprop;
  MicroBatch which = MicroBatch::first;
  double time_s = 0;
};

struct StepTime {
  double time_s = 0;             // from the first operation to the end of the last
  std::vector<PassTime> passes;  // in the order they ran, the same in every step
};

class TrainingStep {
 public:
  // `backend` must outlive the step. Throws std::runtime_error that says how much memory the layers
  // need when that is more than there is.
  TrainingStep(const std::vector<LinearProblem>& problems, Recipe recipe, Backend& backend,
               int micro_batches = 1);

  // Within a range named `label` ("step 3"). Waits for the end.
  StepTime run(const std::string& label);

  // Runs one step and records another (Backend::record()), which run() replays from then on. The
  // ranges within a step then exist while it is recorded, and not in the steps that are replayed.
  void record();

  // From then on steps multiply the operands that the last step has quantized, which takes one at
  // least, and quantize nothing.
  void keep_operands() { operands_ = Operands::keep; }

  // LinearLayer::verify() of every layer and pass, of the first micro-batch and of a later one: one
  // line for each that fails.
  std::vector<std::string> verify(int samples, std::uint64_t seed) const;

  const std::vector<LinearLayer>& layers() const { return layers_; }
  int micro_batches() const { return micro_batches_; }
  std::int64_t memory_bytes() const { return arena_.bytes(); }

 private:
  void enqueue();

  Backend* backend_;
  int micro_batches_;
  Arena arena_;
  std::vector<LinearLayer> layers_;
  std::vector<PassTime> order_;
  Operands operands_ = Operands::quantize;
  std::function<void()> replay_;  // empty: nothing is recorded
};

}  // namespace mansard::kernels
