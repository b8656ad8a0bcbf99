// SPDX-License-Identifier: Apache-2.0
// The tracks of streams. Processes and contexts of a device may use the same stream numbers.
#pragma once

#include <compare>
#include <map>
#include <set>
#include <vector>

#include "reports/export/lanes.h"
#include "reports/export/trace_flows.h"
#include "reports/export/trace_tracks.h"

namespace mansard::reports {

struct StreamKey {
  std::int32_t device = 0;
  std::int64_t process = 0;  // process_key of the launching API call
  std::int32_t context = 0;
  std::int32_t stream = 0;
  auto operator<=>(const StreamKey&) const = default;
};

class StreamTracks {
 public:
  // Announces the tracks of all streams with events, in order.
  StreamTracks(const ExportInput& input, const TraceFlows& flows, TimelineTracks& tracks);

  template <class Record>
  StreamKey key(const Record& record) const {
    return {record.device_id, process_of(record.correlation_id), record.context_id,
            record.stream_id};
  }

  // The track of an event. Call in the order of events.
  TrackId place(const StreamKey& key, std::int64_t start_ns, std::int64_t end_ns);

 private:
  struct Stream {
    Track first;
    std::vector<TrackId> lanes;
    SerialLanes ends;
  };

  std::int64_t process_of(std::int64_t correlation_id) const;
  template <class Records>
  void collect(const Records& records, std::set<StreamKey>& keys) const;
  std::string name(const StreamKey& key, const std::set<StreamKey>& keys) const;

  const ExportInput& input_;
  const TraceFlows& flows_;
  TimelineTracks& tracks_;
  std::set<std::int64_t> processes_;               // host processes
  std::map<std::int32_t, UniqueNumbers> numbers_;  // by device
  std::map<StreamKey, Stream> streams_;
};

}  // namespace mansard::reports
