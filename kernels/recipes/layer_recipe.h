// SPDX-License-Identifier: Apache-2.0
// A recipe at work on one layer y = x W^T: the tensors that it adds to the layer's own, and its
// three passes.
#pragma once

#include <memory>

#include "kernels/recipes/arena.h"
#include "kernels/recipes/pass_plan.h"
#include "kernels/recipes/recipe.h"

namespace mansard::kernels {

// The tensors of a layer, as every recipe has them. Gradients of W are FP32, as training
// accumulates them; all else is BF16.
struct LayerTensors {
  std::int64_t tokens = 0, in_features = 0, out_features = 0;
  std::uint64_t seed = 0;  // of whatever random numbers the recipe draws
  Buffer x, w, y, dy, dx, dw;
};

// Whoever makes one hands it an arena to reserve its own tensors in.
class LayerRecipe {
 public:
  virtual ~LayerRecipe() = default;

  // Once the arena is allocated, before the first pass: the state that steps go on from.
  virtual void start(Backend&) const {}

  // Once the arena is allocated. `out` is empty.
  virtual PassPlan plan(Pass pass, MicroBatch which, PassBuilder out) const = 0;
};

// The product of a pass, without its operands:
//   fprop  y = x W^T        dgrad  dx = dy W        wgrad  dW = dy^T x, or added to dW
GemmProblem product_of(Pass pass, MicroBatch which, const LayerTensors& tensors);

std::unique_ptr<LayerRecipe> make_layer_recipe(Recipe recipe, const LayerTensors& tensors,
                                               Backend& backend, Arena& arena);

std::unique_ptr<LayerRecipe> make_bf16_recipe(const LayerTensors& tensors);
std::unique_ptr<LayerRecipe> make_fp8_recipe(const LayerTensors& tensors, Backend& backend,
                                             Arena& arena);
std::unique_ptr<LayerRecipe> make_fp8_delayed_recipe(const LayerTensors& tensors, Backend& backend,
                                                     Arena& arena);
std::unique_ptr<LayerRecipe> make_fp8_block_recipe(const LayerTensors& tensors, Backend& backend,
                                                   Arena& arena);
std::unique_ptr<LayerRecipe> make_mxfp8_recipe(const LayerTensors& tensors, Backend& backend,
                                               Arena& arena);
std::unique_ptr<LayerRecipe> make_nvfp4_recipe(const LayerTensors& tensors, Backend& backend,
                                               Arena& arena);

}  // namespace mansard::kernels
