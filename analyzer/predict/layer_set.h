// SPDX-License-Identifier: Apache-2.0
// A set of a model's layers as people write it: "first:1,last:4", "0,3-5" (from 0), "none", "all".
#pragma once

#include <string_view>
#include <vector>

namespace mansard::analysis {

// One entry a layer. Throws std::runtime_error naming the part that cannot be read or is out of
// range.
std::vector<bool> parse_layer_set(std::string_view text, std::size_t layers);

}  // namespace mansard::analysis
