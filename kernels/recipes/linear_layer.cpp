// SPDX-License-Identifier: Apache-2.0
#include "kernels/recipes/linear_layer.h"

#include <stdexcept>

#include "kernels/annotation/range.h"

namespace mansard::kernels {
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

// Magnitudes in the proportions of training: activations near 1, weights near 1/64, gradients
// small. Powers of two, so they change exponents only.
void fill_tensors(const LayerTensors& t, const LinearProblem& p, Backend& backend) {
  backend.fill(t.x.as<Bf16>(), p.tokens * p.in_features, p.pattern, 3 * p.seed, 0);
  backend.fill(t.w.as<Bf16>(), p.out_features * p.in_features, p.pattern, 3 * p.seed + 1, -6);
  backend.fill(t.dy.as<Bf16>(), p.tokens * p.out_features, p.pattern, 3 * p.seed + 2, -10);
}

}  // namespace

bool quantizes(const Operation& operation) {
  return operation.work.operation_class == "amax" || operation.work.operation_class == "quantize";
}

ReservedLayer reserve_layer(const LinearProblem& p, Recipe recipe, Backend& backend, Arena& arena) {
  require_layer_shape(p);
  const std::int64_t x = p.tokens * p.in_features;
  const std::int64_t w = p.out_features * p.in_features;
  const std::int64_t y = p.tokens * p.out_features;
  LayerTensors t;
  t.tokens = p.tokens;
  t.in_features = p.in_features;
  t.out_features = p.out_features;
  t.seed = p.seed;
  t.x = arena.reserve(2 * x);
  t.w = arena.reserve(2 * w);
  t.y = arena.reserve(2 * y);
  t.dy = arena.reserve(2 * y);
  t.dx = arena.reserve(2 * x);
  t.dw = arena.reserve(4 * w);
  return {p, t, make_layer_recipe(recipe, t, backend, arena)};
}

LinearLayer::LinearLayer(ReservedLayer reserved, int micro_batches, void* workspace,
                         Backend& backend)
    : problem_(std::move(reserved.problem)),
      backend_(&backend),
      annotation_("layer " + problem_.name),
      recipe_(std::move(reserved.recipe)) {
  fill_tensors(reserved.tensors, problem_, backend);
  recipe_->start(backend);
  for (const MicroBatch which : kMicroBatches) {
    if (which == MicroBatch::later && micro_batches == 1) continue;
    for (const Pass pass : kPasses) {
      plans_[static_cast<std::size_t>(which)][static_cast<std::size_t>(pass)] =
          recipe_->plan(pass, which, PassBuilder(backend, workspace));
    }
  }
}

void LinearLayer::run(Pass pass, MicroBatch which, Operands operands) const {
  const AnnotatedRange layer(annotation_);
  const AnnotatedRange range(to_string(pass).data());
  for (const Operation& operation : plan(pass, which).operations) {
    if (operands == Operands::keep && quantizes(operation)) continue;
    const AnnotatedRange step(operation.annotation);
    operation.run();
  }
}

}  // namespace mansard::kernels
