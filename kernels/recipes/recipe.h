// SPDX-License-Identifier: Apache-2.0
// The recipes by name, and the options that change one.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mansard::kernels {

enum class Recipe { bf16, fp8, fp8_delayed, fp8_block, mxfp8, nvfp4, mor_tensor, mor_block };
inline constexpr std::array kRecipes = {Recipe::bf16,       Recipe::fp8,      Recipe::fp8_delayed,
                                        Recipe::fp8_block,  Recipe::mxfp8,    Recipe::nvfp4,
                                        Recipe::mor_tensor, Recipe::mor_block};
std::string_view to_string(Recipe recipe);
std::vector<std::string> recipe_names();  // of kRecipes
std::optional<Recipe> parse_recipe(std::string_view key);

// Options of a recipe. A recipe ignores those of others.
struct RecipeOptions {
  // NVFP4: the parts of the method (arXiv 2509.25149), so that a run without one measures its
  // effect.
  bool hadamard = true;  // transform the operands of wgrad; false: quantize x^T and dy^T themselves
  bool stochastic_rounding = true;  // of dy and RHT(dy^T); false: round to nearest, ties to even
  // W by 16x16 tiles, so that fprop and dgrad multiply the same values. false: by 1x16 along the
  // reduction axis of each GEMM, like x and dy: smaller blocks, but W and W^T differ.
  bool weights_2d = true;

  // MoR: the largest acceptable error of a tensor or block in FP8, see
  // kernels/mor/representation.h. 0: only values that do not change. Rounding alone costs 2.2
  // to 2.7 % in E4M3 and 4.2 to 4.5 % in E5M2, for normal and for heavy-tailed data; a larger error
  // means that too much of the data is below the format's range.
  float mor_threshold = 0.05f;
};

}  // namespace mansard::kernels
