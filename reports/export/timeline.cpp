// SPDX-License-Identifier: Apache-2.0
#include "reports/export/timeline.h"

#include <algorithm>
#include <limits>

#include "analyzer/activity.h"
#include "reports/export/counter_timeline.h"
#include "reports/export/device_timeline.h"
#include "reports/export/host_timeline.h"

namespace mansard {
namespace {

TimelineHead head_of(const Profile& profile) {
  constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();
  TimelineHead head;
  head.first_ns = kNone;
  const auto see = [&](const auto& records) {
    for (const auto& record : records) {
      if (has_times(record.start_ns, record.end_ns)) {
        head.first_ns = std::min(head.first_ns, record.start_ns);
      } else {
        ++head.losses.without_times;
      }
    }
  };
  see(profile.kernels);
  see(profile.memcpys);
  see(profile.memsets);
  see(profile.graphs);
  see(profile.api_calls);
  for (const NvtxRecord& record : profile.nvtx) {
    const bool shown = record.type == NvtxEventType::push_pop ||
                       record.type == NvtxEventType::start_end ||
                       record.type == NvtxEventType::mark;
    if (shown) head.first_ns = std::min(head.first_ns, record.start_ns);
  }
  for (const DeviceStateSample& sample : profile.device_states) {
    head.first_ns = std::min(head.first_ns, sample.timestamp_ns);
  }
  for (const GpuMetricSample& sample : profile.gpu_metrics) {
    head.first_ns = std::min(head.first_ns, sample.end_ns);
  }
  if (head.first_ns == kNone) head.first_ns = 0;
  if (profile.session.start_utc_ns > 0) {
    head.start_utc_ns = profile.session.start_utc_ns + head.first_ns;
  }
  return head;
}

}  // namespace

TimelineLosses walk_timeline(const ExportInput& input, TimelineWriter& writer) {
  const TimelineHead head = head_of(input.run.profile);
  writer.begin(input, head);
  TimelineTracks tracks(input, writer);
  const LaunchFlows flows(input.run.profile);
  walk_host(input, head.first_ns, flows, tracks, writer);
  walk_devices(input, head.first_ns, flows, tracks, writer);
  walk_counters(input, head.first_ns, tracks, writer);
  writer.end();
  return head.losses;
}

}  // namespace mansard
