// SPDX-License-Identifier: Apache-2.0
// Where the program created the nodes of CUDA graphs: while a stream was captured or through the
// graph API. A kernel's record names the node of the executable graph, a clone of the created one.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "collector/store/profile.h"

namespace mansard::analysis {

class GraphNodeOrigins {
 public:
  // Linear in Profile::graph_nodes, apart from sorting.
  explicit GraphNodeOrigins(const store::Profile& profile);

  bool empty() const { return nodes_.empty(); }

  // The creation of the node or, if it is a clone, of the node at the start of the chain of clones,
  // as an index into Profile::graph_nodes. `process` is the process_key() of the program.
  // std::nullopt: not recorded.
  std::optional<std::size_t> of(std::int64_t process, std::int64_t graph_node_id) const;

 private:
  using Key = std::pair<std::int64_t, std::int64_t>;  // process, node id
  struct Node {
    std::optional<std::size_t> created;  // index into Profile::graph_nodes
    std::int64_t original = 0;           // node id; 0: not a clone
  };

  // Nodes of child graphs get new ids in the executable graph, for which CUPTI (13.0) calls no
  // callback.
  void add_nodes_of_child_graphs(const store::Profile& profile);

  std::map<Key, Node> nodes_;
};

}  // namespace mansard::analysis
