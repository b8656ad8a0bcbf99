// SPDX-License-Identifier: Apache-2.0
#include "analyzer/counters/graph_counts.h"

#include <algorithm>
#include <optional>
#include <set>
#include <unordered_map>

namespace mansard::analysis {
namespace {

// The nodes of a graph with one signature and kind of work.
struct Nodes {
  double count = 0;   // over all launches of the graph
  double time_s = 0;  // likewise
  const CountedWork* counted = nullptr;
  double modeled_flop = 0;       // of one; 0: not modeled
  double modeled_hbm_bytes = 0;  // likewise
  std::optional<Precision> modeled_precision;
  bool uses_tensor_cores = false;  // by its class
  CountedWork part;                // of one
};

struct CountedGraph {
  std::vector<const store::CounterReading*> readings;
  std::set<std::int64_t> launches;  // correlation ids
  std::map<std::pair<KernelSignature, std::uint16_t>, Nodes> nodes;
  double memory_bytes = 0;  // that memcpys and memsets move, over all launches
};

bool is_tensor_core_class(OperationClass c) {
  return c == kGemmClass || c == kAttentionClass || c == kConvolutionClass;
}

// Divides the counts of one launch of a graph.
class Division {
 public:
  explicit Division(CountedGraph& graph)
      : nodes_(graph.nodes), launches_(static_cast<double>(graph.launches.size())) {}

  void add_flop(Precision precision, double flop) {
    double left = flop - counted(&CountedWork::flop, precision);
    const auto modeled = [precision](const Nodes& nodes) {
      const bool is_of = nodes.modeled_precision.value_or(precision) == precision;
      return is_of ? nodes.modeled_flop * nodes.count : 0;
    };
    const auto unmodeled = [](const Nodes& nodes) {
      return nodes.uses_tensor_cores && !(nodes.modeled_flop > 0) ? nodes.time_s : 0;
    };
    const auto give = [precision](Nodes& nodes, double amount) {
      nodes.part.flop[precision] += amount;
    };
    // Padding is executed and not modeled: it goes to the modeled nodes if there are no others.
    const double needed = sum(modeled) / launches_;
    const bool others = sum(unmodeled) > 0;
    const double to_modeled = others ? std::min(left, needed) : left;
    if (needed > 0) {
      divide(to_modeled, modeled, give);
      left -= to_modeled;
    }
    if (others) {
      divide(left, unmodeled, give);
    } else if (!(needed > 0)) {
      divide(
          left, [](const Nodes& nodes) { return nodes.time_s; }, give);
    }
  }

  // `known`: bytes per launch that are not of kernels.
  void add_bytes(MemoryLevel level, double bytes, double known) {
    double left = bytes - known - counted(&CountedWork::bytes, level);
    const auto time = [](const Nodes& nodes) { return nodes.time_s; };
    const auto give = [level](Nodes& nodes, double amount) { nodes.part.bytes[level] += amount; };
    const auto modeled = [](const Nodes& nodes) { return nodes.modeled_hbm_bytes * nodes.count; };
    const double modeled_bytes = sum(modeled);
    if (level != MemoryLevel::hbm || !(modeled_bytes > 0)) return divide(left, time, give);
    // Kernels that use tensor cores move fewer bytes in their time than others: those without a
    // model, as many per second as those with one.
    const double modeled_s =
        sum([](const Nodes& nodes) { return nodes.modeled_hbm_bytes > 0 ? nodes.time_s : 0; });
    const auto estimated = [&](const Nodes& nodes) {
      if (nodes.modeled_hbm_bytes > 0) return modeled(nodes);
      return nodes.uses_tensor_cores ? nodes.time_s * modeled_bytes / modeled_s : 0;
    };
    const auto is_other = [&](const Nodes& nodes) {
      return estimated(nodes) > 0 ? 0 : nodes.time_s;
    };
    const bool others = sum(is_other) > 0;
    const double of_estimated = others ? std::min(left, sum(estimated) / launches_) : left;
    divide(of_estimated, estimated, give);
    divide(left - of_estimated, is_other, give);
  }

 private:
  // Per launch, of the nodes with counts of their own.
  template <class Key>
  double counted(std::map<Key, double> CountedWork::*amounts, Key key) const {
    double all = 0;
    for (const auto& [id, nodes] : nodes_) {
      if (nodes.counted == nullptr) continue;
      const auto found = (nodes.counted->*amounts).find(key);
      if (found != (nodes.counted->*amounts).end()) all += found->second * nodes.count;
    }
    return all / launches_;
  }
  template <class Weight>
  double sum(const Weight& weight) const {
    double all = 0;
    for (const auto& [id, nodes] : nodes_) {
      if (nodes.counted == nullptr) all += weight(nodes);
    }
    return all;
  }
  // Over the nodes without counts of their own, in proportion to their weights.
  template <class Weight, class Give>
  void divide(double amount, const Weight& weight, const Give& give) {
    const double all = sum(weight);
    if (!(all > 0) || !(amount > 0)) return;
    for (auto& [id, nodes] : nodes_) {
      if (nodes.counted != nullptr || !(weight(nodes) > 0)) continue;
      give(nodes, amount * launches_ * weight(nodes) / all / nodes.count);
    }
  }

  std::map<std::pair<KernelSignature, std::uint16_t>, Nodes>& nodes_;
  const double launches_;
};

}  // namespace

GraphCounts::GraphCounts(const store::Profile& profile, const Attribution& attribution,
                         const KernelNames& names, const std::vector<KernelShare>& shares,
                         const WorkKinds& kinds, const CountedWorks& counted) {
  std::map<std::pair<std::int32_t, std::int32_t>, CountedGraph> graphs;  // device, graph id
  for (const store::CounterReading& reading : profile.counter_readings) {
    if (reading.graph_id == 0) continue;
    graphs[{reading.device_id, reading.graph_id}].readings.push_back(&reading);
  }
  if (graphs.empty()) return;

  std::unordered_map<std::int64_t, CountedGraph*> launched;  // by correlation id
  for (std::size_t i = 0; i < profile.kernels.size(); ++i) {
    const store::KernelRecord& kernel = profile.kernels[i];
    if (kernel.graph_id == 0) continue;
    const auto found = graphs.find({kernel.device_id, kernel.graph_id});
    if (found == graphs.end()) continue;
    CountedGraph& graph = found->second;
    graph.launches.insert(kernel.correlation_id);
    launched[kernel.correlation_id] = &graph;
    const std::uint16_t kind = kinds.of_kernel(i);
    Nodes& nodes = graph.nodes[{signature_of(kernel), kind}];
    nodes.count += 1;
    nodes.time_s += 1e-9 * static_cast<double>(kernel.end_ns - kernel.start_ns);
    if (nodes.count > 1) continue;
    const KernelClass& by_rules = names[names.of_kernel(i)].by_rules;
    nodes.counted = counted.of(kernel, kind);
    nodes.uses_tensor_cores = is_tensor_core_class(by_rules.operation_class);
    if (shares[i].range < 0) continue;
    const kernels::WorkAnnotation& work =
        *attribution.ranges[static_cast<std::size_t>(shares[i].range)].work;
    nodes.modeled_flop = work.flop * shares[i].flop_fraction;
    const auto hbm = work.bytes.find(MemoryLevel::hbm);
    if (hbm != work.bytes.end()) nodes.modeled_hbm_bytes = hbm->second * shares[i].fraction;
    nodes.modeled_precision = work_precision(work, by_rules.precision);
  }
  const auto add_memory = [&](const auto& record, double bytes) {
    if (record.graph_node_id == 0) return;
    const auto graph = launched.find(record.correlation_id);
    if (graph != launched.end()) graph->second->memory_bytes += bytes;
  };
  for (const store::MemsetRecord& fill : profile.memsets) {
    add_memory(fill, static_cast<double>(fill.bytes));
  }
  for (const store::MemcpyRecord& copy : profile.memcpys) {
    add_memory(copy, 2 * static_cast<double>(copy.bytes));
  }

  for (auto& [id, graph] : graphs) {
    if (graph.launches.empty()) continue;
    const CountedWork total = work_of_graph(profile, graph.readings);
    Division division(graph);
    for (const auto& [precision, flop] : total.flop) division.add_flop(precision, flop);
    for (const auto& [level, bytes] : total.bytes) {
      const bool has_memory = level == MemoryLevel::hbm || level == MemoryLevel::l2;
      const double known =
          has_memory ? graph.memory_bytes / static_cast<double>(graph.launches.size()) : 0;
      division.add_bytes(level, bytes, known);
    }
    for (auto& [node, nodes] : graph.nodes) {
      if (!nodes.part.has_amounts()) continue;
      nodes.part.is_part = true;
      parts_[{id.first, id.second, node.first, node.second}] = std::move(nodes.part);
    }
  }
}

const CountedWork* GraphCounts::of(const store::KernelRecord& node, std::uint16_t kind) const {
  if (parts_.empty() || node.graph_id == 0) return nullptr;
  const auto found = parts_.find({node.device_id, node.graph_id, signature_of(node), kind});
  return found != parts_.end() ? &found->second : nullptr;
}

}  // namespace mansard::analysis
