// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/graph_node_origins.h"

#include <algorithm>

#include "collector/store/global_ids.h"

namespace mansard::analysis {
namespace {

// A node's id is its graph's id and its number in the graph.
constexpr int kNumberBits = 32;

std::int64_t graph_of(std::int64_t node_id) { return node_id >> kNumberBits; }

// The records of a graph's nodes.
struct Graph {
  std::size_t first = 0;  // indices into Profile::graph_nodes
  std::size_t last = 0;
  std::int64_t last_clone = 0;       // the largest node id of a clone; 0: none
  std::vector<std::int64_t> others;  // ids of nodes that are not clones
};

}  // namespace

GraphNodeOrigins::GraphNodeOrigins(const store::Profile& profile) {
  for (std::size_t i = 0; i < profile.graph_nodes.size(); ++i) {
    const store::GraphNodeRecord& record = profile.graph_nodes[i];
    Node& node = nodes_[{store::process_key(record.global_tid), record.graph_node_id}];
    if (record.original_graph_node_id != 0) {
      node.original = record.original_graph_node_id;
    } else {
      node.created = i;
    }
  }
  if (!nodes_.empty()) add_nodes_of_child_graphs(profile);
}

// Seen with CUDA 13.0: instantiation clones a graph's nodes and, between them, the child graphs'.
// The executable graph numbers its own clones first, then, without a callback, the nodes of the
// child graphs in the order of their cloning, and then nodes of its own, with a callback. The
// numbers are taken for those of the child graphs' nodes only if there are exactly as many.
void GraphNodeOrigins::add_nodes_of_child_graphs(const store::Profile& profile) {
  const auto is_clone = [&](const store::GraphNodeRecord& record) {
    const auto node = nodes_.find({store::process_key(record.global_tid), record.graph_node_id});
    return node != nodes_.end() && node->second.original != 0;
  };
  std::map<std::pair<std::int64_t, std::int64_t>, Graph> graphs;  // by thread and graph id
  for (std::size_t i = 0; i < profile.graph_nodes.size(); ++i) {
    const store::GraphNodeRecord& record = profile.graph_nodes[i];
    const auto [entry, is_new] =
        graphs.try_emplace({record.global_tid, graph_of(record.graph_node_id)});
    Graph& graph = entry->second;
    if (is_new) graph.first = i;
    graph.last = i;
    if (is_clone(record)) {
      graph.last_clone = std::max(graph.last_clone, record.graph_node_id);
    } else {
      graph.others.push_back(record.graph_node_id);
    }
  }
  for (const auto& [id, graph] : graphs) {
    if (graph.last_clone == 0) continue;
    std::int64_t next = 0;
    for (const std::int64_t other : graph.others) {
      if (other > graph.last_clone && (next == 0 || other < next)) next = other;
    }
    const std::int64_t unknown = next - graph.last_clone - 1;
    if (next == 0 || unknown <= 0) continue;
    std::vector<std::int64_t> children;
    for (std::size_t i = graph.first; i <= graph.last; ++i) {
      const store::GraphNodeRecord& record = profile.graph_nodes[i];
      if (record.global_tid == id.first && graph_of(record.graph_node_id) != id.second &&
          record.original_graph_node_id != 0) {
        children.push_back(record.graph_node_id);
      }
    }
    if (static_cast<std::int64_t>(children.size()) != unknown) continue;
    const std::int64_t process = store::process_key(id.first);
    for (std::size_t i = 0; i < children.size(); ++i) {
      nodes_[{process, graph.last_clone + 1 + static_cast<std::int64_t>(i)}].original = children[i];
    }
  }
}

std::optional<std::size_t> GraphNodeOrigins::of(std::int64_t process,
                                                std::int64_t graph_node_id) const {
  // A chain is as long as the graphs are nested; a damaged file may have a cycle.
  constexpr int kLongestChain = 64;
  for (int i = 0; i < kLongestChain; ++i) {
    const auto found = nodes_.find({process, graph_node_id});
    if (found == nodes_.end()) return std::nullopt;
    if (found->second.original == 0) return found->second.created;
    graph_node_id = found->second.original;
  }
  return std::nullopt;
}

}  // namespace mansard::analysis
