// SPDX-License-Identifier: Apache-2.0
#include "analyzer/counters/graph_counts.h"

#include <algorithm>
#include <set>
#include <vector>

namespace mansard::analysis {
namespace {

// The nodes of a graph with one signature and kind of work.
struct Nodes {
  double count = 0;   // per launch of the graph
  double time_s = 0;  // of all of them, per launch of the graph
  const CountedWork* counted = nullptr;
  double modeled_flop = 0;  // of one; 0: not modeled
  std::optional<Precision> modeled_precision;
  bool uses_tensor_cores = false;  // by its class
};

bool is_tensor_core_class(OperationClass c) {
  return c == kGemmClass || c == kAttentionClass || c == kConvolutionClass;
}

template <class Amounts, class Key>
double amount(const Amounts& amounts, Key key) {
  const auto found = amounts.find(key);
  return found != amounts.end() ? found->second : 0;
}

}  // namespace

GraphCounts::GraphCounts(const store::Profile& profile, const Attribution& attribution,
                         const KernelNames& names, const std::vector<KernelShare>& shares,
                         const WorkKinds& kinds, const CountedWorks& counted) {
  std::map<std::int32_t, const store::CounterReading*> readings;
  for (const store::CounterReading& reading : profile.counter_readings) {
    if (reading.graph_id != 0) readings[reading.graph_id] = &reading;
  }
  if (readings.empty()) return;

  std::map<std::int32_t, std::set<std::int64_t>> launches;  // correlation ids, by graph
  std::map<Key, Nodes> all;
  for (std::size_t i = 0; i < profile.kernels.size(); ++i) {
    const store::KernelRecord& kernel = profile.kernels[i];
    if (!readings.contains(kernel.graph_id)) continue;
    launches[kernel.graph_id].insert(kernel.correlation_id);
    const std::uint16_t kind = kinds.of_kernel(i);
    Nodes& nodes = all[{kernel.graph_id, signature_of(kernel), kind}];
    nodes.count += 1;
    nodes.time_s += 1e-9 * static_cast<double>(kernel.end_ns - kernel.start_ns);
    if (nodes.count > 1) continue;
    nodes.counted = counted.of(kernel, kind);
    nodes.uses_tensor_cores =
        is_tensor_core_class(names[names.of_kernel(i)].by_rules.operation_class);
    if (shares[i].range < 0) continue;
    const kernels::WorkAnnotation& work =
        *attribution.ranges[static_cast<std::size_t>(shares[i].range)].work;
    nodes.modeled_flop = work.flop * shares[i].fraction;
    nodes.modeled_precision = work_precision(work, names[names.of_kernel(i)].by_rules.precision);
  }
  std::map<std::int32_t, double> memory_bytes;  // of memcpys and memsets, over all launches
  const auto graph_of_launch = [&](std::int64_t correlation_id) {
    for (const auto& [graph, ids] : launches) {
      if (ids.contains(correlation_id)) return graph;
    }
    return 0;
  };
  for (const store::MemsetRecord& fill : profile.memsets) {
    if (fill.graph_node_id == 0) continue;
    memory_bytes[graph_of_launch(fill.correlation_id)] += static_cast<double>(fill.bytes);
  }
  for (const store::MemcpyRecord& copy : profile.memcpys) {
    if (copy.graph_node_id == 0) continue;
    memory_bytes[graph_of_launch(copy.correlation_id)] += 2 * static_cast<double>(copy.bytes);
  }

  for (const auto& [graph, reading] : readings) {
    const auto launched = launches.find(graph);
    if (launched == launches.end()) continue;
    const auto per_launch = 1.0 / static_cast<double>(launched->second.size());
    const CountedWork total = work_of_graph(profile, *reading);
    std::vector<std::pair<const Key*, Nodes*>> parts;
    for (auto& [key, nodes] : all) {
      if (key.graph_id != graph) continue;
      nodes.count *= per_launch;
      nodes.time_s *= per_launch;
      parts.emplace_back(&key, &nodes);
    }
    // Divides `left` over the nodes without counts of their own for which `weight` is positive.
    const auto divide = [&](double left, const auto& weight, const auto& give) {
      double sum = 0;
      for (const auto& [key, nodes] : parts) {
        if (nodes->counted == nullptr) sum += weight(*nodes);
      }
      if (!(sum > 0) || !(left > 0)) return;
      for (const auto& [key, nodes] : parts) {
        if (nodes->counted != nullptr || !(weight(*nodes) > 0)) continue;
        give(parts_[*key], left * weight(*nodes) / sum / nodes->count);
      }
    };
    const auto left_of = [&](double whole, const auto& counted_amount) {
      for (const auto& [key, nodes] : parts) {
        if (nodes->counted != nullptr) whole -= counted_amount(*nodes->counted) * nodes->count;
      }
      return whole;
    };
    for (const auto& [precision, flop] : total.flop) {
      double left =
          left_of(flop, [p = precision](const CountedWork& work) { return amount(work.flop, p); });
      const auto modeled = [p = precision](const Nodes& nodes) {
        return nodes.modeled_precision.value_or(p) == p ? nodes.modeled_flop * nodes.count : 0;
      };
      const auto unmodeled = [](const Nodes& nodes) {
        return nodes.uses_tensor_cores && !(nodes.modeled_flop > 0) ? nodes.time_s : 0;
      };
      const auto give = [p = precision](CountedWork& part, double amount_of_node) {
        part.flop[p] += amount_of_node;
      };
      double all_modeled = 0;
      bool any_unmodeled = false;
      bool any_of_class = false;
      for (const auto& [key, nodes] : parts) {
        if (nodes->counted != nullptr) continue;
        all_modeled += modeled(*nodes);
        any_unmodeled = any_unmodeled || unmodeled(*nodes) > 0;
        any_of_class = any_of_class || nodes->uses_tensor_cores;
      }
      if (all_modeled > 0) {
        const double given = any_unmodeled ? std::min(left, all_modeled) : left;
        divide(given, modeled, give);
        left -= given;
      }
      if (any_of_class) {
        divide(left, unmodeled, give);
      } else if (!(all_modeled > 0)) {
        divide(
            left, [](const Nodes& nodes) { return nodes.time_s; }, give);
      }
    }
    for (const auto& [level, bytes] : total.bytes) {
      double left =
          left_of(bytes, [l = level](const CountedWork& work) { return amount(work.bytes, l); });
      if (level == MemoryLevel::hbm || level == MemoryLevel::l2) {
        left -= memory_bytes[graph] * per_launch;
      }
      divide(
          left, [](const Nodes& nodes) { return nodes.time_s; },
          [l = level](CountedWork& part, double of_node) { part.bytes[l] += of_node; });
    }
  }
  for (auto& [key, part] : parts_) part.is_part = true;
}

const CountedWork* GraphCounts::of(const store::KernelRecord& node, std::uint16_t kind) const {
  if (parts_.empty() || node.graph_id == 0) return nullptr;
  const auto found = parts_.find({node.graph_id, signature_of(node), kind});
  return found != parts_.end() ? &found->second : nullptr;
}

}  // namespace mansard::analysis
