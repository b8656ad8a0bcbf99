// SPDX-License-Identifier: Apache-2.0
// A training step of several linear layers. For each micro-batch: fprop through all layers, then
// dgrad and wgrad in reverse order, with a time for each pass where the backend computes it. All
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
  double time_s = 0;             // from the start of the first operation to the end of the last
  std::vector<PassTime> passes;  // in execution order, the same in every step
};

class TrainingStep {
 public:
  // `backend` must outlive the step. Throws std::runtime_error with the memory that the layers need
  // if it exceeds the available memory.
  TrainingStep(const std::vector<LinearProblem>& problems, Recipe recipe, Backend& backend,
               int micro_batches = 1, const RecipeOptions& options = {});

  // Runs a step within a range named `label` ("step 3") and waits for its end.
  StepTime run(const std::string& label);

  // Runs one step and records another (Backend::record()), which run() then replays. Ranges within
  // a step are opened during recording only, not during replay.
  void record();

  // After this call, steps reuse the operands that the last step quantized, and quantize nothing.
  // At least one step must have run.
  void reuse_quantized() { operands_ = Operands::keep; }

  // LinearLayer::verify() for every layer and pass, in the first and in a later micro-batch.
  // Returns one line per failure.
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
  std::function<void()> replay_;  // empty: no recorded step
};

}  // namespace mansard::kernels
