// SPDX-License-Identifier: Apache-2.0
#include "kernels/recipes/linear_layer.h"

#include <stdexcept>

#include "kernels/annotation/range.h"

namespace mansard {

std::string_view to_string(Recipe recipe) {
  constexpr std::array<std::string_view, kRecipes.size()> kNames = {"bf16", "fp8", "nvfp4"};
  return kNames[static_cast<std::size_t>(recipe)];
}

std::optional<Recipe> parse_recipe(std::string_view key) {
  for (const Recipe recipe : kRecipes) {
    if (to_string(recipe) == key) return recipe;
  }
  return std::nullopt;
}

std::string_view to_string(Pass pass) {
  constexpr std::array<std::string_view, 3> kNames = {"fprop", "dgrad", "wgrad"};
  return kNames[static_cast<std::size_t>(pass)];
}

double PassPlan::flop() const {
  double sum = 0;
  for (const Operation& operation : operations) sum += operation.work.flop;
  return sum;
}

double PassPlan::bytes() const {
  double sum = 0;
  for (const Operation& operation : operations) {
    for (const auto& [level, bytes] : operation.work.bytes) sum += bytes;
  }
  return sum;
}

Operation gemm_operation(const std::string& name, const GemmProblem& p, Backend& backend) {
  WorkAnnotation work;
  work.name = name;
  work.flop = p.flop();
  work.bytes[backend.traffic_level()] = p.compulsory_bytes();
  work.precision = backend.gemm_precision(p);
  work.operation_class = "gemm";
  work.shape = std::to_string(p.m) + "x" + std::to_string(p.n) + "x" + std::to_string(p.k);
  return {to_text(work), work, backend.prepare_gemm(p)};
}

namespace {

void require_layer_shape(const LinearProblem& p) {
  for (const std::int64_t size : {p.tokens, p.in_features, p.out_features}) {
    if (size > 0 && size % 16 == 0) continue;
    throw std::invalid_argument("layer '" + p.name + "' with " + std::to_string(p.tokens) +
                                " tokens, " + std::to_string(p.in_features) + " -> " +
                                std::to_string(p.out_features) +
                                " features: every size must be a positive multiple of 16, the "
                                "block of NVFP4 and the alignment of FP8 products");
  }
}

LayerTensors make_tensors(const LinearProblem& p, Backend& backend) {
  const std::int64_t x = p.tokens * p.in_features;
  const std::int64_t w = p.out_features * p.in_features;
  const std::int64_t y = p.tokens * p.out_features;
  LayerTensors t = {p.tokens,
                    p.in_features,
                    p.out_features,
                    p.seed,
                    backend.allocate(2 * x),
                    backend.allocate(2 * w),
                    backend.allocate(2 * y),
                    backend.allocate(2 * y),
                    backend.allocate(2 * x),
                    backend.allocate(4 * w)};
  // Magnitudes in the proportions of training: activations near 1, weights near 1/64, gradients
  // small. Powers of two, so they change exponents only.
  backend.fill(t.x.as<Bf16>(), x, p.pattern, 3 * p.seed, 0);
  backend.fill(t.w.as<Bf16>(), w, p.pattern, 3 * p.seed + 1, -6);
  backend.fill(t.dy.as<Bf16>(), y, p.pattern, 3 * p.seed + 2, -10);
  return t;
}

std::array<PassPlan, 3> make_plans(Recipe recipe, const LayerTensors& tensors, Backend& backend) {
  switch (recipe) {
    case Recipe::bf16:
      return plan_bf16(tensors, backend);
    case Recipe::fp8:
      return plan_fp8(tensors, backend);
    case Recipe::nvfp4:
      return plan_nvfp4(tensors, backend);
  }
  throw std::logic_error("a recipe without plans");
}

}  // namespace

LinearLayer::LinearLayer(const LinearProblem& problem, Recipe recipe, Backend& backend)
    : problem_(problem), backend_(&backend), annotation_("layer " + problem.name) {
  require_layer_shape(problem);
  plans_ = make_plans(recipe, make_tensors(problem, backend), backend);
}

void LinearLayer::run(Pass pass) const {
  const AnnotatedRange layer(annotation_);
  const AnnotatedRange range(to_string(pass).data());
  for (const Operation& operation : plan(pass).operations) {
    const AnnotatedRange step(operation.annotation);
    operation.run();
  }
}

}  // namespace mansard
