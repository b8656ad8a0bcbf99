// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/numa_memory.h"

#include <cerrno>
#include <cstring>
#include <limits>
#include <unistd.h>
#include <vector>

#include <linux/mempolicy.h>
#include <sys/syscall.h>

namespace mansard::kernels {

// System calls instead of libnuma, which would be used for these two only.
std::string bind_to_node(void* start, std::size_t bytes, int node) {
  if (node < 0) return "the NUMA node is unknown";
  constexpr int kBits = std::numeric_limits<unsigned long>::digits;
  std::vector<unsigned long> nodes(static_cast<std::size_t>(node / kBits + 1));
  nodes.back() = 1UL << node % kBits;
  // One bit more than necessary, because Linux reads one fewer than specified.
  const unsigned long bits = nodes.size() * kBits + 1;
  if (syscall(SYS_mbind, start, bytes, MPOL_BIND, nodes.data(), bits, 0) == 0) return "";
  return "cannot bind memory to NUMA node " + std::to_string(node) +
         " (mbind): " + std::strerror(errno);
}

std::optional<int> node_of_page(const void* address) {
  void* page = const_cast<void*>(address);
  int node = -1;
  // Without target nodes, this call moves nothing and reports the current nodes.
  if (syscall(SYS_move_pages, 0, 1UL, &page, nullptr, &node, 0) != 0 || node < 0) {
    return std::nullopt;
  }
  return node;
}

}  // namespace mansard::kernels
