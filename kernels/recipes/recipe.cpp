// SPDX-License-Identifier: Apache-2.0
#include "kernels/recipes/recipe.h"

namespace mansard::kernels {

std::string_view to_string(Recipe recipe) {
  constexpr std::array<std::string_view, kRecipes.size()> kNames = {
      "bf16", "fp8", "fp8_delayed", "fp8_block", "mxfp8", "nvfp4", "mor_tensor", "mor_block"};
  return kNames[static_cast<std::size_t>(recipe)];
}

std::vector<std::string> recipe_names() {
  std::vector<std::string> names;
  for (const Recipe recipe : kRecipes) names.emplace_back(to_string(recipe));
  return names;
}

std::optional<Recipe> parse_recipe(std::string_view key) {
  for (const Recipe recipe : kRecipes) {
    if (to_string(recipe) == key) return recipe;
  }
  return std::nullopt;
}

}  // namespace mansard::kernels
