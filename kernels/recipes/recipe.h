// SPDX-License-Identifier: Apache-2.0
// Lookup of recipes by name.
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace mansard::kernels {

enum class Recipe { bf16, fp8, fp8_delayed, fp8_block, mxfp8, nvfp4 };
inline constexpr std::array kRecipes = {Recipe::bf16,      Recipe::fp8,   Recipe::fp8_delayed,
                                        Recipe::fp8_block, Recipe::mxfp8, Recipe::nvfp4};
std::string_view to_string(Recipe recipe);
std::optional<Recipe> parse_recipe(std::string_view key);

}  // namespace mansard::kernels
