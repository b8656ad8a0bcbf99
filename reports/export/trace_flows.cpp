// SPDX-License-Identifier: Apache-2.0
#include "reports/export/trace_flows.h"

#include <algorithm>

namespace mansard::reports {
namespace {

// Flow ids start at 1; 0: none.
std::uint64_t flow_of(std::size_t launch) { return std::uint64_t{launch} + 1; }

bool launch_has_times(const store::Profile& profile, analysis::LaunchKind kind,
                      std::size_t record) {
  const auto has = [](const auto& r) { return store::has_times(r.start_ns, r.end_ns); };
  switch (kind) {
    case analysis::LaunchKind::kernel:
      return has(profile.kernels[record]);
    case analysis::LaunchKind::memcpy:
      return has(profile.memcpys[record]);
    case analysis::LaunchKind::memset:
      return has(profile.memsets[record]);
    case analysis::LaunchKind::graph:
      return has(profile.graphs[record]);
  }
  return false;
}

}  // namespace

TraceFlows::TraceFlows(const analysis::RunAnalysis& run)
    : profile_(run.profile), launches_(analysis::launches_of(run)) {
  for (std::size_t launch = 0; launch < launches_.size(); ++launch) {
    if (!launches_.call(launch)) continue;
    if (!launch_has_times(profile_, launches_.kind(launch), launches_.record(launch))) continue;
    by_call_.push_back(static_cast<std::uint32_t>(launch));
  }
  std::ranges::stable_sort(by_call_, {},
                           [&](std::uint32_t launch) { return launches_.call(launch); });
}

std::optional<store::ApiRecord> TraceFlows::call(std::int64_t correlation_id) const {
  const std::optional<std::size_t> index = launches_.calls().find(correlation_id);
  return index ? std::optional<store::ApiRecord>(profile_.api_calls[*index]) : std::nullopt;
}

std::uint64_t TraceFlows::incoming(analysis::LaunchKind kind, std::size_t record) const {
  const std::size_t launch = launches_.of(kind, record);
  const std::optional<std::size_t> index = launches_.call(launch);
  if (!index || !launch_has_times(profile_, kind, record)) return 0;
  const store::ApiRecord from = profile_.api_calls[*index];
  return store::has_times(from.start_ns, from.end_ns) ? flow_of(launch) : 0;
}

void TraceFlows::outgoing(std::size_t from, std::vector<std::uint64_t>& flows) const {
  flows.clear();
  const std::optional call(from);
  const auto call_of = [&](std::uint32_t launch) { return launches_.call(launch); };
  auto launch = std::ranges::lower_bound(by_call_, call, {}, call_of);
  for (; launch != by_call_.end() && call_of(*launch) == call; ++launch) {
    flows.push_back(flow_of(*launch));
  }
}

}  // namespace mansard::reports
