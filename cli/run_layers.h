// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/run_options.h"

namespace mansard::cli {

// `mansard run layer`: linear layers in a recipe, as a training step runs them. Returns the exit
// code.
int run_layers(const RunOptions& options);

}  // namespace mansard::cli
