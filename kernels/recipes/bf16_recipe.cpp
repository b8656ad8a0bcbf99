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

  std::array<MeasuredOperand, 2> measure(Pass pass, const MeasurementScratch& scratch,
                                         numerics::Sums* sums, Backend& backend) const override {
    const auto measured = [&](const char* name, const Buffer& values, Shape shape,
                              numerics::Sums* out) {
      numerics::OperandError error;
      error.source = values.as<Bf16>();
      error.shape = shape;
      return measured_operand(name, Precision::bf16, error, scratch, out,
                              PassBuilder(backend, nullptr));
    };
    const Shape x = {t_.tokens, t_.in_features};
    const Shape w = {t_.out_features, t_.in_features};
    const Shape dy = {t_.tokens, t_.out_features};
    return {
        pass == Pass::fprop ? measured("x", t_.x, x, sums) : measured("dy", t_.dy, dy, sums),
        pass == Pass::wgrad ? measured("x", t_.x, x, sums + 1) : measured("W", t_.w, w, sums + 1)};
  }

 private:
  LayerTensors t_;
};

}  // namespace

std::unique_ptr<LayerRecipe> make_bf16_recipe(const LayerTensors& tensors) {
  return std::make_unique<Bf16Recipe>(tensors);
}

}  // namespace mansard::kernels
