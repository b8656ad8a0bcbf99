// SPDX-License-Identifier: Apache-2.0
// The loss of a transformer in FP64, written as plainly as possible.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/training/parameters.h"

namespace mansard::kernels {

// Mean cross-entropy over all tokens. `values`: the parameters in the places that Parameters gives.
double reference_loss(const TransformerModel& model, const Parameters& parameters,
                      const std::vector<double>& values, std::int64_t sequence,
                      const std::vector<std::int32_t>& tokens,
                      const std::vector<std::int32_t>& targets);

}  // namespace mansard::kernels
