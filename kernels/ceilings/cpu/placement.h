// SPDX-License-Identifier: Apache-2.0
// Where the slices of a bandwidth kernel lie on a machine with several NUMA nodes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "kernels/device/host_memory.h"
#include "kernels/device/numa_memory.h"

namespace mansard::kernels {

struct Placement {
  std::vector<int> toucher;  // of each thread's slice: the thread that touches it first
  std::vector<int> node;     // on which it is to lie; empty: wherever that thread's touch puts it
};

inline Placement own_node(int threads) {
  Placement own;
  for (int thread = 0; thread < threads; ++thread) own.toucher.push_back(thread);
  return own;
}

// `nodes`: of each thread, at least two different ones. The nodes form a ring in the order of their
// first threads, and each thread's slice lies on the next one.
inline Placement next_node(const std::vector<int>& nodes) {
  std::vector<int> ring;
  std::vector<std::vector<int>> members;
  std::vector<std::size_t> place(nodes.size());  // of each thread's node in the ring
  std::vector<std::size_t> rank(nodes.size());   // among the threads of its node
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

// Looks at some pages of a slice; empty: all on `node`, or the system does not say.
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
