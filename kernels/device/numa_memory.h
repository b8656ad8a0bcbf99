// SPDX-License-Identifier: Apache-2.0
// On which NUMA node memory lies. First touch decides where nothing else is said, but Linux may
// move such pages later to the node that uses them (numa_balancing), unless they are bound.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace mansard::kernels {

// Pages of [start, start + bytes) that are touched from now on come from `node` and stay there;
// `start` is aligned to a page. Empty when done, else why not.
std::string bind_to_node(void* start, std::size_t bytes, int node);

// Where the page of `address` lies; empty: not touched yet, or the system does not say.
std::optional<int> node_of_page(const void* address);

}  // namespace mansard::kernels
