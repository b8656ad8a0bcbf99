// SPDX-License-Identifier: Apache-2.0
#include "reports/export/device_events.h"

#include "analyzer/launch_work.h"
#include "collector/store/memory_names.h"
#include "reports/export/kernel_arguments.h"
#include "reports/export/start_merge.h"
#include "reports/export/stream_tracks.h"

namespace mansard::reports {
namespace {

template <class Records>
struct Activities {
  explicit Activities(const Records& all) : records(all) {}

  const Records& records;
  std::size_t size() const { return records.size(); }
  std::pair<std::int64_t, std::int64_t> at(std::size_t i) const {
    return {records[i].start_ns, records[i].end_ns};
  }
};

class DeviceWalk {
 public:
  DeviceWalk(const ExportInput& input, std::int64_t first_ns, const TraceFlows& flows,
             TimelineTracks& tracks, TimelineWriter& writer)
      : profile_(input.run.profile),
        first_ns_(first_ns),
        flows_(flows),
        writer_(writer),
        streams_(input, flows, tracks),
        kernels_(input) {}

  void add(const TimedRecord& at) {
    switch (static_cast<analysis::LaunchKind>(at.list)) {
      case analysis::LaunchKind::kernel:
        return add(at, "kernel", profile_.kernels[at.index]);
      case analysis::LaunchKind::memcpy:
        return add(at, "gpu_memcpy", profile_.memcpys[at.index]);
      case analysis::LaunchKind::memset:
        return add(at, "gpu_memset", profile_.memsets[at.index]);
      case analysis::LaunchKind::graph:
        return add(at, "cuda_graph", profile_.graphs[at.index]);
    }
  }

 private:
  template <class Record>
  void add(const TimedRecord& at, std::string_view category, const Record& record) {
    if (!store::has_times(record.start_ns, record.end_ns)) return;
    arguments_.clear();
    arguments_.push_back({"device", std::int64_t{record.device_id}});
    arguments_.push_back({"context", std::int64_t{record.context_id}});
    arguments_.push_back({"stream", std::int64_t{record.stream_id}});
    if (record.correlation_id != 0) arguments_.push_back({"correlation", record.correlation_id});
    Slice slice;
    slice.name = describe(record, at.index);
    slice.category = category;
    slice.track = streams_.place(streams_.key(record), record.start_ns, record.end_ns);
    slice.start_ns = record.start_ns - first_ns_;
    slice.end_ns = record.end_ns - first_ns_;
    slice.arguments = arguments_;
    slice.incoming_flow = flows_.incoming(static_cast<analysis::LaunchKind>(at.list), at.index);
    writer_.slice(slice);
  }

  // Returns the name of the record and adds its arguments.
  std::string_view describe(const store::KernelRecord& kernel, std::size_t index) {
    kernels_.add(index, arguments_);
    return profile_.string(kernel.demangled_name);
  }
  std::string_view describe(const store::MemcpyRecord& copy, std::size_t) {
    add_bytes(copy.bytes, copy.graph_node_id);
    return name_ = store::copy_name({copy.copy_kind, copy.src_kind, copy.dst_kind});
  }
  std::string_view describe(const store::MemsetRecord& fill, std::size_t) {
    add_bytes(fill.bytes, fill.graph_node_id);
    return name_ = store::fill_name(fill.mem_kind);
  }
  std::string_view describe(const store::GraphRecord& graph, std::size_t) {
    arguments_.push_back({"graph id", std::int64_t{graph.graph_id}});
    return name_ = "CUDA graph " + std::to_string(graph.graph_id);
  }
  void add_bytes(std::int64_t bytes, std::int64_t graph_node_id) {
    arguments_.push_back({"bytes", bytes});
    if (graph_node_id != 0) arguments_.push_back({"graph node id", graph_node_id});
  }

  const store::Profile& profile_;
  std::int64_t first_ns_;
  const TraceFlows& flows_;
  TimelineWriter& writer_;
  StreamTracks streams_;
  KernelArguments kernels_;
  std::vector<Argument> arguments_;
  std::string name_;
};

}  // namespace

void walk_devices(const ExportInput& input, std::int64_t first_ns, const TraceFlows& flows,
                  TimelineTracks& tracks, TimelineWriter& writer) {
  const store::Profile& profile = input.run.profile;
  DeviceWalk walk(input, first_ns, flows, tracks, writer);
  // In the order of DeviceList.
  merge_by_start(
      shortest_first, [&](const TimedRecord& record) { walk.add(record); },
      Activities(profile.kernels), Activities(profile.memcpys), Activities(profile.memsets),
      Activities(profile.graphs));
}

}  // namespace mansard::reports
