// SPDX-License-Identifier: Apache-2.0
// All combinations of the options of NVFP4.
#pragma once

#include <string>
#include <vector>

#include "kernels/recipes/recipe.h"

namespace mansard::kernels {

inline std::vector<RecipeOptions> nvfp4_options() {
  std::vector<RecipeOptions> all;
  for (const bool hadamard : {true, false}) {
    for (const bool stochastic : {true, false}) {
      for (const bool weights_2d : {true, false}) {
        RecipeOptions options;
        options.hadamard = hadamard;
        options.stochastic_rounding = stochastic;
        options.weights_2d = weights_2d;
        all.push_back(options);
      }
    }
  }
  return all;
}

// For names of tests.
inline std::string to_string(const RecipeOptions& options) {
  return std::string(options.hadamard ? "hadamard" : "untransformed") +
         (options.stochastic_rounding ? "_stochastic" : "_nearest") +
         (options.weights_2d ? "_tiles" : "_vectors");
}

}  // namespace mansard::kernels
