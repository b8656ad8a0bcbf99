// SPDX-License-Identifier: Apache-2.0
#include "kernels/recipes/layer_recipe.h"

#include <stdexcept>

namespace mansard::kernels {

GemmProblem product_of(Pass pass, MicroBatch which, const LayerTensors& t) {
  GemmProblem p;
  switch (pass) {
    case Pass::fprop:
      p.m = t.tokens, p.n = t.out_features, p.k = t.in_features;
      p.c = t.y.as<Bf16>();
      break;
    case Pass::dgrad:
      p.m = t.tokens, p.n = t.in_features, p.k = t.out_features;
      p.c = t.dx.as<Bf16>();
      break;
    case Pass::wgrad:
      p.m = t.out_features, p.n = t.in_features, p.k = t.tokens;
      p.c = t.dw.as<float>();
      p.output = GemmOutput::fp32;
      p.accumulate = which == MicroBatch::later;
      break;
  }
  return p;
}

MeasuredOperand measured_operand(std::string tensor, std::optional<Precision> format,
                                 const numerics::OperandError& error,
                                 const MeasurementScratch& scratch, numerics::Sums* out,
                                 PassBuilder operations) {
  operations.add(
      "compare " + tensor + " with its source", "reduction", format.value_or(Precision::bf16),
      error.operand_shape(), numerics::traffic(error),
      [&b = operations.backend, error, out, partials = scratch.partials.as<numerics::Sums>()] {
        b.sum_errors(error, partials, out);
      });
  return {std::move(tensor),
          format,
          error.shape,
          error.values != nullptr,
          error.codes != nullptr,
          std::move(operations).finish()};
}

std::unique_ptr<LayerRecipe> make_layer_recipe(Recipe recipe, const LayerTensors& tensors,
                                               Backend& backend, Arena& arena,
                                               const RecipeOptions& options) {
  switch (recipe) {
    case Recipe::bf16:
      return make_bf16_recipe(tensors);
    case Recipe::fp8:
      return make_fp8_recipe(tensors, backend, arena);
    case Recipe::fp8_delayed:
      return make_fp8_delayed_recipe(tensors, backend, arena);
    case Recipe::fp8_block:
      return make_fp8_block_recipe(tensors, backend, arena);
    case Recipe::mxfp8:
      return make_mxfp8_recipe(tensors, backend, arena);
    case Recipe::nvfp4:
      return make_nvfp4_recipe(tensors, backend, arena, options);
    case Recipe::mor_tensor:
      return make_mor_tensor_recipe(tensors, arena, options);
    case Recipe::mor_block:
      return make_mor_block_recipe(tensors, arena, options);
  }
  throw std::logic_error("this recipe has no pass plans");
}

}  // namespace mansard::kernels
