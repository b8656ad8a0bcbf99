// SPDX-License-Identifier: Apache-2.0
#include "reports/export/stream_tracks.h"

#include "collector/store/global_ids.h"

namespace mansard::reports {

StreamTracks::StreamTracks(const ExportInput& input, const TraceFlows& flows,
                           TimelineTracks& tracks)
    : input_(input), flows_(flows), tracks_(tracks) {
  const store::Profile& profile = input.run.profile;
  for (const store::ApiRecord& call : profile.api_calls)
    processes_.insert(store::process_key(call.global_tid));
  std::set<StreamKey> keys;
  collect(profile.kernels, keys);
  collect(profile.memcpys, keys);
  collect(profile.memsets, keys);
  collect(profile.graphs, keys);
  for (const StreamKey& key : keys) {
    const Track& device = tracks_.device(key.device);
    Track track{.kind = TrackKind::stream, .parent = device.id, .name = name(key, keys)};
    track.process = device.process;
    track.thread = numbers_[key.device].take(key.stream);
    Stream& stream = streams_[key];
    stream.first = tracks_.announce(std::move(track));
    stream.lanes.push_back(stream.first.id);
  }
}

template <class Records>
void StreamTracks::collect(const Records& records, std::set<StreamKey>& keys) const {
  for (const auto& record : records) {
    if (store::has_times(record.start_ns, record.end_ns)) keys.insert(key(record));
  }
}

// If only one process made API calls, it also made the calls that were not recorded.
std::int64_t StreamTracks::process_of(std::int64_t correlation_id) const {
  if (processes_.size() <= 1) return 0;
  const std::optional<store::ApiRecord> call = flows_.call(correlation_id);
  return call ? store::process_key(call->global_tid) : 0;
}

std::string StreamTracks::name(const StreamKey& key, const std::set<StreamKey>& keys) const {
  std::set<std::int64_t> processes;
  std::set<std::int32_t> contexts;
  for (const StreamKey& other : keys) {
    if (other.device != key.device) continue;
    processes.insert(other.process);
    if (other.process == key.process) contexts.insert(other.context);
  }
  std::string text = key.stream < 0 ? "no stream" : "stream " + std::to_string(key.stream);
  if (contexts.size() > 1) text += ", context " + std::to_string(key.context);
  if (processes.size() > 1) {
    const auto rank = input_.names.ranks.find(key.process);
    text += rank != input_.names.ranks.end()
                ? ", rank " + std::to_string(rank->second)
                : ", process " + std::to_string(key.process & store::kTidMask);
  }
  return text;
}

TrackId StreamTracks::place(const StreamKey& key, std::int64_t start_ns, std::int64_t end_ns) {
  Stream& stream = streams_.at(key);
  const std::size_t lane = stream.ends.place(start_ns, end_ns);
  if (lane == stream.lanes.size()) {
    Track track = stream.first;
    track.parent = stream.first.id;
    track.is_further_lane = true;
    track.name += ", overlapping";
    track.thread = numbers_[key.device].take(-1);
    stream.lanes.push_back(tracks_.announce(std::move(track)).id);
  }
  return stream.lanes[lane];
}

}  // namespace mansard::reports
