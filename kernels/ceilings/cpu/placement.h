// SPDX-License-Identifier: Apache-2.0
// Placement of a bandwidth kernel's slices on a machine with several NUMA nodes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "kernels/device/host_memory.h"
#include "kernels/device/numa_memory.h"

namespace mansard::kernels {

struct Placement {
  std::vector<int> toucher;  // for each thread's slice: the thread that touches it first
  std::vector<int> node;     // target node of each slice; empty: the node of the first touch
};

inline Placement own_node(int threads) {
  Placement own;
  for (int thread = 0; thread < threads; ++thread) own.toucher.push_back(thread);
  return own;
}

// `nodes`: the node of each thread, at least two different ones. The nodes form a ring in the order
// of their first threads, and each thread's slice is placed on the next node.
inline Placement next_node(const std::vector<int>& nodes) {
  std::vector<int> ring;
  std::vector<std::vector<int>> members;
  std::vector<std::size_t> place(nodes.size());  // position in the ring of each thread's node
  std::vector<std::size_t> rank(nodes.size());   // index among the threads of the node
  for (std::size_t thread = 0; thread < nodes.size(); ++thread) {
    const auto known = std::find(ring.begin(), ring.end(), nodes[thread]);
    place[thread] = static_cast<std::size_t>(known - ring.begin());
    if (known == ring.end()) {
      ring.push_back(nodes[thread]);
      members.emplace_back();
    }
    rank[thread] = members[place[thread]].size();
    members[place[thread]].push_back(static_cast<int>(thread));
  }
  Placement next;
  for (std::size_t thread = 0; thread < nodes.size(); ++thread) {
    const std::size_t target = (place[thread] + 1) % ring.size();
    next.toucher.push_back(members[target][rank[thread] % members[target].size()]);
    next.node.push_back(ring[target]);
  }
  return next;
}

// Checks some pages of a slice; empty if all are on `node` or the system does not report it.
inline std::string misplaced(const PageBuffer& slice, int node) {
  constexpr std::size_t kPages = 64;
  const std::size_t stride = std::max<std::size_t>(slice.bytes() / kPages, 1);
  for (std::size_t byte = 0; byte < slice.bytes(); byte += stride) {
    const std::optional<int> found = node_of_page(slice.data() + byte);
    if (found && *found != node) {
      return "byte " + std::to_string(byte) + " of a slice is on NUMA node " +
             std::to_string(*found) + " instead of " + std::to_string(node);
    }
  }
  return "";
}

}  // namespace mansard::kernels
