// SPDX-License-Identifier: Apache-2.0
#include "reports/export/host_events.h"

#include <limits>
#include <map>
#include <unordered_map>

#include "collector/store/global_ids.h"
#include "reports/export/lanes.h"
#include "reports/export/start_merge.h"

namespace mansard::reports {
namespace {

// NVTX domains that `mansard import` creates for the categories of PyTorch traces.
constexpr std::string_view kAnnotations = "PyTorch annotations";
constexpr std::string_view kOperations = "PyTorch operations";

std::string process_name(const ExportInput& input, std::int64_t key) {
  const store::HostNames& names = input.names;
  const store::SessionInfo& session = input.run.profile.session;
  const auto name = names.processes.find(key);
  std::string command = name != names.processes.end() ? name->second : session.command;
  std::string place;
  const auto rank = names.ranks.find(key);
  if (rank != names.ranks.end()) {
    place = "rank " + std::to_string(rank->second);
  } else if (names.ranks.empty() && session.rank >= 0) {
    place = "rank " + std::to_string(session.rank);
  }
  const auto host = names.hosts.find(key);
  if (host != names.hosts.end()) place += (place.empty() ? "" : ", ") + host->second;
  if (place.empty()) return command;
  return command.empty() ? place : place + ": " + command;
}

class HostWalk {
 public:
  HostWalk(const ExportInput& input, std::int64_t first_ns, const TraceFlows& flows,
           TimelineTracks& tracks, TimelineWriter& writer)
      : input_(input),
        profile_(input.run.profile),
        first_ns_(first_ns),
        flows_(flows),
        tracks_(tracks),
        writer_(writer) {
    for (const store::NvtxRecord& record : profile_.nvtx) {
      if (record.type == store::NvtxEventType::domain_create) {
        domains_.try_emplace(record.domain_id, profile_.text(record));
      }
    }
  }

  void add_call(std::size_t index) {
    const store::ApiRecord& call = profile_.api_calls[index];
    if (!store::has_times(call.start_ns, call.end_ns)) return;
    arguments_.clear();
    if (call.correlation_id != 0) arguments_.push_back({"correlation", call.correlation_id});
    if (call.return_value != 0) {
      arguments_.push_back({"return value", std::int64_t{call.return_value}});
    }
    flows_.outgoing(index, outgoing_);
    Slice slice;
    slice.track = place(call.global_tid, call.start_ns, call.end_ns);
    slice.start_ns = call.start_ns - first_ns_;
    slice.end_ns = call.end_ns - first_ns_;
    slice.category = call.event_class == 1 ? "cuda_driver" : "cuda_runtime";
    slice.name = profile_.string(call.name);
    slice.arguments = arguments_;
    slice.outgoing_flows = outgoing_;
    writer_.slice(slice);
  }

  void add(const store::NvtxRecord& record) {
    const bool mark = record.type == store::NvtxEventType::mark;
    const bool range = record.type == store::NvtxEventType::push_pop ||
                       record.type == store::NvtxEventType::start_end;
    if (!mark && !range) return;
    Slice slice;
    slice.start_ns = record.start_ns - first_ns_;
    slice.category = describe(record);
    slice.name = profile_.text(record);
    slice.arguments = arguments_;
    if (mark) {
      slice.is_instant = true;
      slice.track = thread(record.global_tid).lanes.front();
    } else {
      const bool open = record.end_ns < record.start_ns;
      if (!open) slice.end_ns = record.end_ns - first_ns_;
      slice.track = place(record.global_tid, record.start_ns,
                          open ? std::numeric_limits<std::int64_t>::max() : record.end_ns);
    }
    writer_.slice(slice);
  }

 private:
  struct Thread {
    Track first;
    std::vector<TrackId> lanes;
    NestingLanes nesting;
  };
  struct Process {
    Track track;
    UniqueNumbers threads;
  };

  // Returns the category of a range or mark and sets arguments_.
  std::string_view describe(const store::NvtxRecord& record) {
    arguments_.clear();
    const auto domain = domains_.find(record.domain_id);
    const std::string_view name = domain == domains_.end() ? "" : std::string_view(domain->second);
    if (name == kOperations) return "cpu_op";
    if (!name.empty() && name != kAnnotations) arguments_.push_back({"domain", name});
    if (record.began_earlier) arguments_.push_back({"began before recording", std::int64_t{1}});
    std::visit(
        [&]<class T>(const T& value) {
          if constexpr (std::is_floating_point_v<T>) {
            arguments_.push_back({"payload", double{value}});
          } else if constexpr (std::is_integral_v<T>) {
            arguments_.push_back({"payload", static_cast<std::int64_t>(value)});
          } else if constexpr (std::is_same_v<T, store::NvtxJson>) {
            arguments_.push_back({"payload", std::string_view(profile_.string(value.id))});
          }
        },
        record.payload);
    return "user_annotation";
  }

  Process& process(std::int64_t key) {
    const auto [known, is_new] = processes_.try_emplace(key);
    if (is_new) {
      Track track{.kind = TrackKind::process, .name = process_name(input_, key)};
      track.process = tracks_.processes().take(key & store::kTidMask);
      known->second.track = tracks_.announce(std::move(track));
    }
    return known->second;
  }

  Thread& thread(std::int64_t global_tid) {
    const auto [known, is_new] = threads_.try_emplace(global_tid);
    if (!is_new) return known->second;
    Process& owner = process(store::process_key(global_tid));
    const auto name = input_.names.threads.find(global_tid);
    Track track{.kind = TrackKind::thread, .parent = owner.track.id};
    if (name != input_.names.threads.end()) track.name = name->second;
    track.process = owner.track.process;
    track.system_thread = store::tid_of(global_tid);
    track.thread = owner.threads.take(track.system_thread);
    known->second.first = tracks_.announce(std::move(track));
    known->second.lanes.push_back(known->second.first.id);
    return known->second;
  }

  TrackId place(std::int64_t global_tid, std::int64_t start_ns, std::int64_t end_ns) {
    Thread& of = thread(global_tid);
    const std::size_t lane = of.nesting.place(start_ns, end_ns);
    if (lane == of.lanes.size()) {
      Track track = of.first;
      track.parent = of.first.id;
      track.is_further_lane = true;
      const std::string number = std::to_string(track.system_thread);
      track.name = (track.name.empty() ? "thread " + number : track.name) + ", overlapping";
      track.thread = process(store::process_key(global_tid)).threads.take(-1);
      of.lanes.push_back(tracks_.announce(std::move(track)).id);
    }
    return of.lanes[lane];
  }

  const ExportInput& input_;
  const store::Profile& profile_;
  std::int64_t first_ns_;
  const TraceFlows& flows_;
  TimelineTracks& tracks_;
  TimelineWriter& writer_;
  std::unordered_map<std::int64_t, std::string> domains_;
  std::unordered_map<std::int64_t, Process> processes_;
  std::unordered_map<std::int64_t, Thread> threads_;
  std::vector<Argument> arguments_;
  std::vector<std::uint64_t> outgoing_;
};

struct Calls {
  const store::RecordList<store::ApiRecord>& records;
  std::size_t size() const { return records.size(); }
  std::pair<std::int64_t, std::int64_t> at(std::size_t i) const {
    return {records[i].start_ns, records[i].end_ns};
  }
};

struct Ranges {
  const store::RecordList<store::NvtxRecord>& records;
  std::size_t size() const { return records.size(); }
  // Marks come after slices with the same start; open ranges end last.
  std::pair<std::int64_t, std::int64_t> at(std::size_t i) const {
    const store::NvtxRecord& r = records[i];
    if (r.type == store::NvtxEventType::mark) return {r.start_ns, r.start_ns};
    const bool open = r.end_ns < r.start_ns;
    return {r.start_ns, open ? std::numeric_limits<std::int64_t>::max() : r.end_ns};
  }
};

}  // namespace

void walk_host(const ExportInput& input, std::int64_t first_ns, const TraceFlows& flows,
               TimelineTracks& tracks, TimelineWriter& writer) {
  const store::Profile& profile = input.run.profile;
  HostWalk walk(input, first_ns, flows, tracks, writer);
  merge_by_start(
      longest_first,
      [&](const TimedRecord& record) {
        record.list == 0 ? walk.add(profile.nvtx[record.index]) : walk.add_call(record.index);
      },
      Ranges{profile.nvtx}, Calls{profile.api_calls});
}

}  // namespace mansard::reports
