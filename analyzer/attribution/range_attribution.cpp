// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/range_attribution.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <unordered_map>

#include "analyzer/attribution/graph_node_origins.h"
#include "analyzer/attribution/range_stacks.h"
#include "analyzer/attribution/thread_sweep.h"
#include "analyzer/attribution/work_shares.h"
#include "analyzer/launch_table.h"
#include "collector/store/global_ids.h"

namespace mansard::analysis {

namespace {

struct OwnedCall {
  std::int64_t correlation_id;
  std::int32_t range;
};

void collect_ranges(const store::Profile& profile, Attribution& out) {
  profile.nvtx.for_each([&](std::size_t i, const store::NvtxRecord& record) {
    if (!is_range(record)) return;
    const kernels::WorkAnnotation* work = profile.work.find(record.row_id);
    if (work == nullptr) return;
    if (record.end_ns < record.start_ns) {
      ++out.open_ranges;
      return;
    }
    AttributedRange range;
    range.nvtx = i;
    range.work = work;
    range.start_ns = record.start_ns;
    range.end_ns = record.end_ns;
    out.ranges.push_back(range);
  });
  // If two ranges start together, the longer one encloses the other.
  const auto before = [](const AttributedRange& a, const AttributedRange& b) {
    return a.start_ns != b.start_ns ? a.start_ns < b.start_ns : a.end_ns > b.end_ns;
  };
  if (!std::is_sorted(out.ranges.begin(), out.ranges.end(), before)) {
    std::stable_sort(out.ranges.begin(), out.ranges.end(), before);
  }
}

// Whether the program states the work of a range or of one around it.
bool is_stated(std::int32_t range, const Attribution& out) {
  for (; range >= 0; range = out.ranges[static_cast<std::size_t>(range)].parent) {
    const kernels::WorkAnnotation& work = *out.ranges[static_cast<std::size_t>(range)].work;
    if (!work.modeled && has_amounts(work)) return true;
  }
  return false;
}

// API calls that put work on a device. A range with such a call is not host work, even if none of
// its kernels was recorded, as during graph capture.
class DeviceCallNames {
 public:
  explicit DeviceCallNames(const store::Profile& profile) : profile_(profile) {}

  bool contains(store::StringId name) {
    const auto [entry, is_new] = known_.try_emplace(name, false);
    if (is_new) {
      const std::string_view text = profile_.string(name);
      for (const std::string_view part : {"Launch", "Memcpy", "Memset"}) {
        entry->second = entry->second || text.find(part) != std::string_view::npos;
      }
    }
    return entry->second;
  }

 private:
  const store::Profile& profile_;
  std::unordered_map<store::StringId, bool> known_;
};

// Calls and graph nodes found inside of annotated ranges.
struct Owned {
  std::vector<OwnedCall> calls;             // ordered by correlation id
  std::vector<std::int32_t> range_of_node;  // by index into Profile::graph_nodes; -1: none
};

// One pass over ranges, API calls and created graph nodes in time order.
Owned sweep(const store::Profile& profile, Attribution& out) {
  std::unordered_map<std::int64_t, ThreadSweep> threads;
  for (const AttributedRange& range : out.ranges) threads[profile.nvtx[range.nvtx].global_tid];

  Owned owned;
  owned.range_of_node.assign(profile.graph_nodes.size(), -1);
  DeviceCallNames device_calls(profile);
  std::size_t next = 0;
  const auto open_until = [&](std::int64_t time_ns) {
    for (; next < out.ranges.size() && out.ranges[next].start_ns <= time_ns; ++next) {
      AttributedRange& range = out.ranges[next];
      ThreadSweep& thread = threads[profile.nvtx[range.nvtx].global_tid];
      range.parent = thread.advance(range.start_ns, out.ranges);
      // Work that the program states has precedence over that of the calls inside.
      if (range.work->modeled && is_stated(range.parent, out)) continue;
      thread.open(static_cast<std::int32_t>(next));
    }
  };
  const auto range_at = [&](std::int64_t global_tid, std::int64_t time_ns) {
    open_until(time_ns);
    const auto thread = threads.find(global_tid);
    return thread != threads.end() ? thread->second.advance(time_ns, out.ranges) : -1;
  };
  std::size_t next_node = 0;
  const auto add_nodes_until = [&](std::int64_t time_ns) {
    for (; next_node < profile.graph_nodes.size(); ++next_node) {
      const store::GraphNodeRecord& node = profile.graph_nodes[next_node];
      if (node.start_ns >= time_ns) return;
      owned.range_of_node[next_node] = range_at(node.global_tid, node.start_ns);
    }
  };
  for (const store::ApiRecord& call : profile.api_calls) {
    add_nodes_until(call.start_ns);
    const std::int32_t range = range_at(call.global_tid, call.start_ns);
    if (range < 0) continue;
    if (call.correlation_id != 0) owned.calls.push_back({call.correlation_id, range});
    if (device_calls.contains(call.name)) {
      out.ranges[static_cast<std::size_t>(range)].device_work = true;
    }
  }
  constexpr std::int64_t kEnd = std::numeric_limits<std::int64_t>::max();
  add_nodes_until(kEnd);
  open_until(kEnd);
  for (auto& [tid, thread] : threads) thread.advance(kEnd, out.ranges);

  const auto by_id = [](const OwnedCall& a, const OwnedCall& b) {
    return a.correlation_id < b.correlation_id;
  };
  if (!std::is_sorted(owned.calls.begin(), owned.calls.end(), by_id)) {
    std::stable_sort(owned.calls.begin(), owned.calls.end(), by_id);
  }
  return owned;
}

std::int32_t find_range(const std::vector<OwnedCall>& owned, std::int64_t correlation_id) {
  const auto call =
      std::lower_bound(owned.begin(), owned.end(), correlation_id,
                       [](const OwnedCall& a, std::int64_t id) { return a.correlation_id < id; });
  return call != owned.end() && call->correlation_id == correlation_id ? call->range : -1;
}

// The range in which the program created the nodes of CUDA graphs.
class NodeRanges {
 public:
  NodeRanges(const store::Profile& profile, const std::vector<std::int32_t>& range_of_node)
      : profile_(profile), range_of_node_(range_of_node), origins_(profile) {
    if (!origins_.empty()) calls_ = CallIndex(profile.api_calls);
  }

  // -1: none.
  std::int32_t of(const store::KernelRecord& kernel) const {
    if (origins_.empty()) return -1;
    // Node ids are unique within a process: that of the call that launched the graph.
    const std::optional<std::size_t> call = calls_.find(kernel.correlation_id);
    if (!call) return -1;
    const std::int64_t thread = profile_.api_calls[*call].global_tid;
    const auto created = origins_.of(store::process_key(thread), kernel.graph_node_id);
    return created ? range_of_node_[*created] : -1;
  }

 private:
  const store::Profile& profile_;
  const std::vector<std::int32_t>& range_of_node_;
  GraphNodeOrigins origins_;
  CallIndex calls_;
};

}  // namespace

Attribution attribute_kernels(const store::Profile& profile) {
  Attribution out;
  out.range_of_kernel.assign(profile.kernels.size(), -1);
  out.range_of_reading.assign(profile.counter_readings.size(), -1);
  collect_ranges(profile, out);
  if (out.ranges.empty()) return out;
  const Owned owned = sweep(profile, out);
  const NodeRanges nodes(profile, owned.range_of_node);

  const auto mark_device_work = [&](std::int64_t correlation_id) {
    const std::int32_t range = find_range(owned.calls, correlation_id);
    if (range >= 0) out.ranges[static_cast<std::size_t>(range)].device_work = true;
    return range;
  };
  for (std::size_t i = 0; i < profile.kernels.size(); ++i) {
    const store::KernelRecord& kernel = profile.kernels[i];
    const std::int32_t range = mark_device_work(kernel.correlation_id);
    // All nodes of a graph have the correlation id of its launch, so a range around that launch
    // cannot be attributed to a single node.
    out.range_of_kernel[i] = kernel.graph_node_id == 0 ? range : nodes.of(kernel);
    if (out.range_of_kernel[i] >= 0) {
      out.ranges[static_cast<std::size_t>(out.range_of_kernel[i])].device_work = true;
    }
  }
  for (std::size_t i = 0; i < profile.counter_readings.size(); ++i) {
    out.range_of_reading[i] = mark_device_work(profile.counter_readings[i].correlation_id);
  }
  for (const store::MemcpyRecord& copy : profile.memcpys) mark_device_work(copy.correlation_id);
  for (const store::MemsetRecord& fill : profile.memsets) mark_device_work(fill.correlation_id);

  // Children come after their parents, so one backward pass reaches all ancestors.
  for (std::size_t i = out.ranges.size(); i-- > 0;) {
    const AttributedRange& range = out.ranges[i];
    if (range.device_work && range.parent >= 0) {
      out.ranges[static_cast<std::size_t>(range.parent)].device_work = true;
    }
  }
  return out;
}

}  // namespace mansard::analysis
