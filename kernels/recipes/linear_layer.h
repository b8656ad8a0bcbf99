// SPDX-License-Identifier: Apache-2.0
// One linear layer of a training step, y = x W^T, executed with a recipe.
#pragma once

#include <array>
#include <memory>
#include <string>

#include "kernels/annotation/training_annotation.h"
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

// A layer whose memory is reserved in an arena but not yet allocated.
struct ReservedLayer {
  LinearProblem problem;
  LayerTensors tensors;
  std::unique_ptr<LayerRecipe> recipe;
};

// Reserve a layer with tensors of its own, or with those given. Throw std::invalid_argument unless
// tokens and features are multiples of 16.
ReservedLayer reserve_layer(const LinearProblem& problem, Recipe recipe, Backend& backend,
                            Arena& arena, const RecipeOptions& options = {});
ReservedLayer reserve_layer(const LinearProblem& problem, const LayerTensors& tensors,
                            Recipe recipe, Backend& backend, Arena& arena,
                            const RecipeOptions& options = {});

// Whether a pass quantizes its operands, or reuses those quantized by an earlier step. With `keep`,
// a step takes the time that remains without quantization.
enum class Operands { quantize, keep };

// Whether passes skip this operation when they keep their operands. Expanding codes for a GEMM that
// cannot read them does not count, because its result is scratch shared by all layers.
bool quantizes(const Operation& operation);

class LinearLayer {
 public:
  // Prepares the GEMMs, which share `workspace`. GEMMs of later micro-batches are prepared only if
  // there are any. The arena must be allocated; it and `backend` must outlive the layer.
  LinearLayer(ReservedLayer reserved, int micro_batches, void* workspace, Backend& backend);

  const LinearProblem& problem() const { return problem_; }
  std::vector<StateTensor> state() const { return recipe_->state(); }
  std::vector<RepresentationCounts> choices() const { return recipe_->choices(); }
  bool reads_amax() const { return recipe_->reads_amax(); }
  const PassPlan& plan(Pass pass, MicroBatch which = MicroBatch::first) const {
    return plans_[static_cast<std::size_t>(which)][static_cast<std::size_t>(pass)];
  }

  // Runs the pass within the ranges "layer <name>" and the name of the pass. Quantized operands are
  // reused: dgrad uses W from fprop, wgrad uses x from fprop and dy from dgrad, and later
  // micro-batches use W from the first. Those passes must have run before.
  void run(Pass pass, MicroBatch which = MicroBatch::first,
           Operands operands = Operands::quantize) const;

  // The sums that measure() writes: two for each pass.
  static constexpr std::int64_t kSumsBytes = 2 * kPasses.size() * sizeof(numerics::Sums);
  // To be called once before measure(). `sums`: kSumsBytes in the backend's memory.
  void prepare_measurement(const MeasurementScratch& scratch, const Buffer& sums);
  // Compares the operands of the pass with their sources, right after the pass has run. Changes
  // nothing that a pass reads.
  void measure(Pass pass) const;
  // The result of measure() after each of the passes; the layer's name and the step are left to
  // the caller.
  std::vector<TensorNumerics> numerics() const;

  // Runs the pass and compares `samples` elements of its result with FP64 products of the operands
  // that its GEMM read, plus the previous contents if the pass accumulates. Returns an empty string
  // if all are within the error of accumulation and of rounding the result, otherwise the first
  // that is not.
  std::string verify(Pass pass, MicroBatch which, int samples, std::uint64_t seed) const;

 private:
  LinearProblem problem_;
  Backend* backend_;
  std::string annotation_;
  std::unique_ptr<LayerRecipe> recipe_;
  std::array<std::array<PassPlan, kPasses.size()>, kMicroBatches.size()> plans_;
  std::array<std::array<MeasuredOperand, 2>, kPasses.size()> measured_;
  Buffer sums_;
};

}  // namespace mansard::kernels
