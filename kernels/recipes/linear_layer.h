// SPDX-License-Identifier: Apache-2.0
// One linear layer of a training step, y = x W^T, in a recipe: its three passes as lists of
// operations, each with the annotation that says what it computes and moves.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/annotation/work_annotation.h"
#include "kernels/recipes/backend.h"

namespace mansard {

enum class Recipe { bf16, fp8, nvfp4 };
inline constexpr std::array kRecipes = {Recipe::bf16, Recipe::fp8, Recipe::nvfp4};
std::string_view to_string(Recipe recipe);
std::optional<Recipe> parse_recipe(std::string_view key);

enum class Pass { fprop, dgrad, wgrad };
inline constexpr std::array kPasses = {Pass::fprop, Pass::dgrad, Pass::wgrad};
std::string_view to_string(Pass pass);

struct Operation {
  std::string annotation;  // text of the range around it, made once
  WorkAnnotation work;
  std::function<void()> run;
};

struct PassPlan {
  std::vector<Operation> operations;
  GemmProblem gemm;  // the last of them

  double flop() const;
  double bytes() const;  // at the backend's traffic level, the sum over the operations
};

struct LinearProblem {
  std::string name;
  std::int64_t tokens = 0;
  std::int64_t in_features = 0;
  std::int64_t out_features = 0;
  DataPattern pattern = DataPattern::random_normal;
  std::uint64_t seed = 1;
};

class LinearLayer {
 public:
  // Allocates and fills x, W and dy and prepares the GEMMs. `backend` must outlive the layer.
  // Throws std::invalid_argument unless tokens and features are multiples of 16.
  LinearLayer(const LinearProblem& problem, Recipe recipe, Backend& backend);

  const LinearProblem& problem() const { return problem_; }
  const PassPlan& plan(Pass pass) const { return plans_[static_cast<std::size_t>(pass)]; }

  // Within ranges "layer <name>" and the pass's name. dgrad uses W as fprop quantised it, wgrad x
  // and dy as fprop and dgrad did, so each must have run once before.
  void run(Pass pass) const;

  // Runs the pass and compares `samples` elements of its result with FP64 products of the very
  // operands its GEMM read. Empty when all are within the error of the GEMM's accumulation and of
  // rounding the result; else the first that is not.
  std::string verify(Pass pass, int samples, std::uint64_t seed) const;

 private:
  LinearProblem problem_;
  Backend* backend_;
  std::string annotation_;
  std::array<PassPlan, 3> plans_;
};

// The tensors of a layer, as the recipes see them. Gradients of W are FP32, as training
// accumulates them; y and dx are BF16.
struct LayerTensors {
  std::int64_t tokens, in_features, out_features;
  std::uint64_t seed;  // of whatever random numbers the recipe draws
  Buffer x, w, dy, y, dx, dw;
};

std::array<PassPlan, 3> plan_bf16(const LayerTensors& tensors, Backend& backend);
std::array<PassPlan, 3> plan_fp8(const LayerTensors& tensors, Backend& backend);
std::array<PassPlan, 3> plan_nvfp4(const LayerTensors& tensors, Backend& backend);

// A GEMM as an operation named `name`.
Operation gemm_operation(const std::string& name, const GemmProblem& problem, Backend& backend);

}  // namespace mansard
