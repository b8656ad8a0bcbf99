// SPDX-License-Identifier: Apache-2.0
// Work of the kernels of CUDA graphs, from counters of whole graphs. A graph is launched at once,
// so its counts are exact sums over its nodes, which are divided by what is known of them.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "analyzer/attribution/work_shares.h"
#include "analyzer/counters/counted_work.h"

namespace mansard::analysis {

class GraphCounts {
 public:
  // From the readings of graphs in Profile::counter_readings. First, nodes whose signature was read
  // outside of graphs have those counts, and the bytes of memcpys and memsets are known. Then
  // tensor-core FLOPs go to nodes with modeled FLOPs and, for the rest, to nodes of classes that
  // use tensor cores, in proportion to their times. Of the HBM bytes, nodes with modeled bytes get
  // these, other nodes that use tensor cores as many per second, and all others the rest by their
  // times; bytes of other tiers are divided by time. FLOPs of CUDA cores are not known, as CUPTI
  // does not count instructions of graphs (13.0).
  GraphCounts(const store::Profile& profile, const Attribution& attribution,
              const KernelNames& names, const std::vector<KernelShare>& shares,
              const WorkKinds& kinds, const CountedWorks& counted);

  // Returns the part of the graph's counts that a node has; null: its graph was not read, or its
  // signature was read outside of graphs. Nodes of a graph with one signature and kind of work have
  // equal parts.
  const CountedWork* of(const store::KernelRecord& node, std::uint16_t kind) const;

 private:
  struct Key {
    std::int32_t device_id = 0;
    std::int32_t graph_id = 0;
    KernelSignature signature;
    std::uint16_t kind = 0;

    auto operator<=>(const Key&) const = default;
  };
  std::map<Key, CountedWork> parts_;
};

}  // namespace mansard::analysis
