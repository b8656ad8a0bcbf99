// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/run_options.h"

namespace mansard::cli {

// `mansard run layer`: runs linear layers in a recipe, as in a training step. Returns the exit
// code.
int run_layers(const RunOptions& options);

}  // namespace mansard::cli
