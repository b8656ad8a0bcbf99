// SPDX-License-Identifier: Apache-2.0
// Messages of collective kernels. Sources: the structured NVTX payloads of NCCL (since 2.18),
// which state the size of each call and the ranks of its communicator, and the records of PyTorch's
// profiler. Sizes and bandwidths are those of nccl-tests (doc/PERFORMANCE.md of NVIDIA/nccl-tests).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "analyzer/classify/kernel_names.h"
#include "collector/store/profile.h"
#include "kernels/vocabulary/collective.h"

namespace mansard::analysis {

class LaunchTable;

using mansard::CollectiveOperation;

struct CollectiveMessage {
  CollectiveOperation operation = CollectiveOperation::all_reduce;
  // S: the buffer of a rank for all-reduce, broadcast, reduce and send; otherwise the larger of a
  // rank's two buffers, which has a part for each rank.
  double bytes = 0;
  std::int32_t ranks = 0;  // number of ranks n; 0: unknown
  bool in_switch = false;  // the switches reduce and multicast (NVLink SHARP)
  // All ranks are on one host and connected by its links: the profile lists at least as many GPUs
  // as its largest group has ranks, or all ranks of the group are on one host.
  bool one_host = false;

  // Algorithm bandwidth is S / t, bus bandwidth bus_bytes() / t. Empty if n is needed but unknown.
  std::optional<double> bus_bytes() const { return mansard::bus_bytes(operation, bytes, ranks); }

  // Lower bound on the bytes over the links of a GPU in one direction: bus_bytes(), or S (n - 1) /
  // n for an all-reduce in the switches. Empty unless one_host.
  std::optional<double> link_bytes() const;

  std::string text() const;  // "all-reduce of 67.1 MB, 8 ranks"

  // Equal for messages that share a row: the same properties, and sizes that round up to the same
  // power of two.
  std::uint64_t group() const;
};

class CollectiveMessages {
 public:
  CollectiveMessages() = default;
  // `names` gives the class of each kernel; only collectives have messages. A launch inside an NCCL
  // call has the message of that call. A launch at the end of a group of calls has none.
  CollectiveMessages(const store::Profile& profile, const LaunchTable& launches,
                     const KernelNames& names);

  // nullptr: unknown. `kernel` is an index into Profile::kernels.
  const CollectiveMessage* of(std::size_t kernel) const {
    const auto found = by_kernel_.find(static_cast<std::uint32_t>(kernel));
    return found == by_kernel_.end() ? nullptr : &found->second;
  }

 private:
  std::unordered_map<std::uint32_t, CollectiveMessage> by_kernel_;
};

// "ncclAllReduce", "allreduce", "_reduce_scatter_base"; std::nullopt: not the name of a collective.
std::optional<CollectiveOperation> parse_collective(std::string_view name);

}  // namespace mansard::analysis
