// SPDX-License-Identifier: Apache-2.0
// The baseline: three GEMMs that read x, W and dy in their memory layout.
#include "kernels/recipes/layer_recipe.h"

namespace mansard::kernels {
namespace {

class Bf16Recipe : public LayerRecipe {
 public:
  explicit Bf16Recipe(const LayerTensors& tensors) : t_(tensors) {}

  PassPlan plan(Pass pass, MicroBatch which, PassBuilder out) const override {
    const bool fprop = pass == Pass::fprop;
    const bool wgrad = pass == Pass::wgrad;
    const auto axis = [](bool outer) {
      return outer ? ReductionAxis::outer : ReductionAxis::inner;
    };
    GemmProblem p = product_of(pass, which, t_);
    p.a = {(fprop ? t_.x : t_.dy).as<Bf16>(), axis(wgrad)};
    p.b = {(wgrad ? t_.x : t_.w).as<Bf16>(), axis(!fprop)};
    return std::move(out).finish(p);
  }

 private:
  LayerTensors t_;
};

}  // namespace

std::unique_ptr<LayerRecipe> make_bf16_recipe(const LayerTensors& tensors) {
  return std::make_unique<Bf16Recipe>(tensors);
}

}  // namespace mansard::kernels
