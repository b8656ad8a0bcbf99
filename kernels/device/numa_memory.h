// SPDX-License-Identifier: Apache-2.0
// Binding of memory to NUMA nodes. By default the first touch decides, but Linux may later move
// such pages to the node that uses them (numa_balancing) unless they are bound.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace mansard::kernels {

// Binds the pages of [start, start + bytes) that are touched after this call to `node`. `start` is
// page-aligned. Returns an empty string on success, otherwise the reason.
std::string bind_to_node(void* start, std::size_t bytes, int node);

// NUMA node of the page that contains `address`; empty if untouched or unknown.
std::optional<int> node_of_page(const void* address);

}  // namespace mansard::kernels
