// SPDX-License-Identifier: Apache-2.0
#include "reports/export/launch_flows.h"

#include <algorithm>

namespace mansard::reports {
namespace {

// Flows count activities from 1, list after list.
std::uint64_t first_flow(const store::Profile& profile, DeviceList list) {
  std::uint64_t first = 1;
  if (list > DeviceList::kernels) first += profile.kernels.size();
  if (list > DeviceList::copies) first += profile.memcpys.size();
  if (list > DeviceList::fills) first += profile.memsets.size();
  return first;
}

}  // namespace

LaunchFlows::LaunchFlows(const store::Profile& profile) : profile_(profile), calls_(profile) {
  if (profile.api_calls.empty()) return;
  entries_.reserve(profile.kernels.size() + profile.memcpys.size() + profile.memsets.size() +
                   profile.graphs.size());
  add(profile.kernels, first_flow(profile, DeviceList::kernels));
  add(profile.memcpys, first_flow(profile, DeviceList::copies));
  add(profile.memsets, first_flow(profile, DeviceList::fills));
  add(profile.graphs, first_flow(profile, DeviceList::graphs));
  std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
    return a.correlation_id != b.correlation_id ? a.correlation_id < b.correlation_id
                                                : a.flow < b.flow;
  });
}

template <class Records>
void LaunchFlows::add(const Records& records, std::uint64_t first) {
  for (std::size_t i = 0; i < records.size(); ++i) {
    const auto& record = records[i];
    if (record.correlation_id == 0 || !store::has_times(record.start_ns, record.end_ns)) continue;
    entries_.push_back({record.correlation_id, first + i});
  }
}

std::uint64_t LaunchFlows::incoming(DeviceList list, std::size_t index) const {
  const auto arrow = [&](const auto& record) -> std::uint64_t {
    const std::optional<store::ApiRecord> from = call(record.correlation_id);
    const bool shown = from && store::has_times(from->start_ns, from->end_ns) &&
                       store::has_times(record.start_ns, record.end_ns);
    return shown ? first_flow(profile_, list) + index : 0;
  };
  switch (list) {
    case DeviceList::kernels:
      return arrow(profile_.kernels[index]);
    case DeviceList::copies:
      return arrow(profile_.memcpys[index]);
    case DeviceList::fills:
      return arrow(profile_.memsets[index]);
    case DeviceList::graphs:
      return arrow(profile_.graphs[index]);
  }
  return 0;
}

void LaunchFlows::outgoing(std::size_t from, std::vector<std::uint64_t>& flows) const {
  flows.clear();
  const std::int64_t id = profile_.api_calls[from].correlation_id;
  // Of a runtime call and the driver's call inside it, one has the arrows.
  if (id == 0 || calls_.number_of(id) != from) return;
  auto entry = std::lower_bound(
      entries_.begin(), entries_.end(), id,
      [](const Entry& e, std::int64_t wanted) { return e.correlation_id < wanted; });
  for (; entry != entries_.end() && entry->correlation_id == id; ++entry) {
    flows.push_back(entry->flow);
  }
}

}  // namespace mansard::reports
