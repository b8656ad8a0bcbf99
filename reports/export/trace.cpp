// SPDX-License-Identifier: Apache-2.0
#include "reports/export/trace.h"

#include "analyzer/profile_times.h"
#include "reports/export/counter_events.h"
#include "reports/export/device_events.h"
#include "reports/export/host_events.h"

namespace mansard::reports {
namespace {

TimelineHead head_of(const store::Profile& profile) {
  TimelineHead head;
  head.first_ns = analysis::time_zero_ns(profile);
  const auto count_losses = [&](const auto& records) {
    for (const auto& record : records) {
      if (!store::has_times(record.start_ns, record.end_ns)) ++head.losses.without_times;
    }
  };
  count_losses(profile.kernels);
  count_losses(profile.memcpys);
  count_losses(profile.memsets);
  count_losses(profile.graphs);
  count_losses(profile.api_calls);
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
  const TraceFlows flows(input.run);
  walk_host(input, head.first_ns, flows, tracks, writer);
  walk_devices(input, head.first_ns, flows, tracks, writer);
  walk_counters(input, head.first_ns, tracks, writer);
  writer.end();
  return head.losses;
}

}  // namespace mansard::reports
