// SPDX-License-Identifier: Apache-2.0
// One linear layer of a training step, y = x W^T, in a recipe.
#pragma once

#include <array>
#include <memory>
#include <string>

#include "kernels/recipes/layer_recipe.h"

namespace mansard::kernels {

struct LinearProblem {
  std::string name;
  std::int64_t tokens = 0;  // of one micro-batch
  std::int64_t in_features = 0;
  std::int64_t out_features = 0;
  DataPattern pattern = DataPattern::random_normal;
  std::uint64_t seed = 1;
};

// A layer whose memory is reserved, and not there yet.
struct ReservedLayer {
  LinearProblem problem;
  LayerTensors tensors;
  std::unique_ptr<LayerRecipe> recipe;
};

// Throws std::invalid_argument unless tokens and features are multiples of 16.
ReservedLayer reserve_layer(const LinearProblem& problem, Recipe recipe, Backend& backend,
                            Arena& arena);

// Whether a pass quantizes what it multiplies, or multiplies what an earlier step has quantized:
// what is left is what a step takes that finds its operands quantized.
enum class Operands { quantize, keep };

// Whether a pass that keeps its operands leaves it out. Expanding codes for a GEMM that cannot read
// them is none of these: what it makes is scratch that all layers share.
bool quantizes(const Operation& operation);

class LinearLayer {
 public:
  // Fills x, W and dy and prepares the GEMMs, which share `workspace`; those of later micro-batches
  // only where a step has any. The arena must be allocated; it and `backend` must outlive the
  // layer.
  LinearLayer(ReservedLayer reserved, int micro_batches, void* workspace, Backend& backend);

  const LinearProblem& problem() const { return problem_; }
  const PassPlan& plan(Pass pass, MicroBatch which = MicroBatch::first) const {
    return plans_[static_cast<std::size_t>(which)][static_cast<std::size_t>(pass)];
  }

  // Within ranges "layer <name>" and the pass's name. dgrad uses W as fprop quantized it, wgrad x
  // and dy as fprop and dgrad did, and a later micro-batch W as the first one did, so each must
  // have run once before.
  void run(Pass pass, MicroBatch which = MicroBatch::first,
           Operands operands = Operands::quantize) const;

  // Runs the pass and compares `samples` elements of its result with FP64 products of the very
  // operands its GEMM read, added to what was there before where the pass adds. Empty when all are
  // within the error of the GEMM's accumulation and of rounding the result; else the first that is
  // not.
  std::string verify(Pass pass, MicroBatch which, int samples, std::uint64_t seed) const;

 private:
  LinearProblem problem_;
  Backend* backend_;
  std::string annotation_;
  std::unique_ptr<LayerRecipe> recipe_;
  std::array<std::array<PassPlan, kPasses.size()>, kMicroBatches.size()> plans_;
};

}  // namespace mansard::kernels
