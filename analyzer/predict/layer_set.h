// SPDX-License-Identifier: Apache-2.0
// Parser for sets of layers: "first:1,last:4", "0,3-5" (zero-based), "none", "all".
#pragma once

#include <string_view>
#include <vector>

namespace mansard::analysis {

// Returns one entry per layer. Throws std::runtime_error with the part that is invalid or out of
// range.
std::vector<bool> parse_layer_set(std::string_view text, std::size_t layers);

}  // namespace mansard::analysis
