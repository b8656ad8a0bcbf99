// SPDX-License-Identifier: Apache-2.0
// A recipe applied to one layer y = x W^T: the tensors that it adds to the layer's own, and its
// three passes.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/recipes/arena.h"
#include "kernels/recipes/pass_plan.h"
#include "kernels/recipes/recipe.h"

namespace mansard::kernels {

// The tensors of a layer, common to all recipes. Gradients of W are FP32, as accumulated in
// training; all others are BF16.
struct LayerTensors {
  std::int64_t tokens = 0, in_features = 0, out_features = 0;
  std::uint64_t seed = 0;  // for the random numbers of the recipe
  Buffer x, w, y, dy, dx, dw;
  // FP32 scalars that hold the largest magnitude of x and dy when the pass that quantizes them
  // runs, for callers whose kernels find it when they write these tensors. Unset: recipes that need
  // it read the tensor once more. They must not change until the wgrad of the micro-batch has run.
  Buffer x_amax, dy_amax;
};

// A tensor that a recipe carries from step to step: part of a checkpoint.
struct StateTensor {
  std::string name;
  Buffer data;
  std::int64_t bytes = 0;
};

// The number of blocks and elements of a tensor that a recipe has stored in each representation
// since start(), for recipes that choose it by the data. Read and reset with Backend::read() and
// write().
struct RepresentationCounts {
  std::string tensor;  // "x", "W" or "dy"; the transpose has the same representations
  Buffer counts;       // mor::Counts
};

// Memory for measuring one operand at a time. Both tensors of BF16 are as large as the largest
// operand of any layer.
struct MeasurementScratch {
  Buffer source, values;
  Buffer partials;  // numerics::kPartialSums elements of numerics::Sums
};

// Compares an operand of a GEMM with its source.
struct MeasuredOperand {
  std::string tensor;               // "x", "W" or "dy"
  std::optional<Precision> format;  // bf16: not quantized; nullopt: several (MoR)
  Shape shape;                      // of the source
  bool is_compared = false;         // otherwise the operand is the source
  bool counts_saturation = false;
  std::vector<Operation> operations;
};

// Constructors take an arena in which the recipe reserves its tensors. They throw
// std::invalid_argument if an option is out of range.
class LayerRecipe {
 public:
  virtual ~LayerRecipe() = default;

  // Called after the arena is allocated and before the first pass: initializes the state.
  virtual void start(Backend&) const {}
  virtual std::vector<StateTensor> state() const { return {}; }
  virtual std::vector<RepresentationCounts> choices() const { return {}; }
  // Whether passes read LayerTensors::x_amax and dy_amax, if these are set.
  virtual bool reads_amax() const { return false; }

  // Called after the arena is allocated. `out` is empty.
  virtual PassPlan plan(Pass pass, MicroBatch which, PassBuilder out) const = 0;

  // The operands A and B of the pass's GEMM. Their operations may run between the end of the pass
  // and the next change of x, W or dy, and write to sums[0] and sums[1].
  virtual std::array<MeasuredOperand, 2> measure(Pass pass, const MeasurementScratch& scratch,
                                                 numerics::Sums* sums, Backend& backend) const = 0;
};

// The GEMM of a pass, without its operands:
//   fprop  y = x W^T        dgrad  dx = dy W        wgrad  dW = dy^T x, or accumulated into dW
GemmProblem product_of(Pass pass, MicroBatch which, const LayerTensors& tensors);

// Adds the operation that compares an operand with its source.
MeasuredOperand measured_operand(std::string tensor, std::optional<Precision> format,
                                 const numerics::OperandError& error,
                                 const MeasurementScratch& scratch, numerics::Sums* out,
                                 PassBuilder operations);

std::unique_ptr<LayerRecipe> make_layer_recipe(Recipe recipe, const LayerTensors& tensors,
                                               Backend& backend, Arena& arena,
                                               const RecipeOptions& options = {});

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
                                               Arena& arena, const RecipeOptions& options = {});
std::unique_ptr<LayerRecipe> make_mor_tensor_recipe(const LayerTensors& tensors, Arena& arena,
                                                    const RecipeOptions& options = {});
std::unique_ptr<LayerRecipe> make_mor_block_recipe(const LayerTensors& tensors, Arena& arena,
                                                   const RecipeOptions& options = {});

}  // namespace mansard::kernels
