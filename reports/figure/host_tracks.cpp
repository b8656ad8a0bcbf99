// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/host_tracks.h"

#include <algorithm>

#include "analyzer/steps/call_kinds.h"
#include "collector/store/global_ids.h"

namespace mansard::figure {
namespace {

// Not a table: an inline variable of another header may be initialized after it.
analysis::OperationClass class_of(analysis::CallKind kind) {
  switch (kind) {
    case analysis::CallKind::launch:
      return kLaunchClass;
    case analysis::CallKind::synchronize:
      return kWaitClass;
    case analysis::CallKind::other:
      break;
  }
  return kCallClass;
}

struct HostThread {
  std::size_t launches = 0;
  std::vector<Slice> ranges;
  std::vector<Slice> calls;
};

// Strips the API version: "cudaLaunchKernel" for "cudaLaunchKernel_v7000".
std::string without_version(std::string_view call) {
  const std::size_t at = call.rfind("_v");
  const bool versioned = at != std::string_view::npos && at + 2 < call.size() &&
                         call.find_first_not_of("0123456789", at + 2) == std::string_view::npos;
  return std::string(versioned ? call.substr(0, at) : call);
}

void collect_calls(const store::Profile& profile, TimelineBuilder& out,
                   std::map<std::int64_t, HostThread>& threads) {
  analysis::CallKinds kinds(profile);
  std::unordered_map<store::StringId, std::uint32_t> keys;
  for (std::size_t i = 0; i < profile.api_calls.size(); ++i) {
    const store::ApiRecord call = profile.api_calls[i];
    const analysis::CallKind kind = kinds.of(call);
    const auto [key, is_new] = keys.try_emplace(call.name, 0);
    if (is_new) {
      key->second = out.add_name(without_version(profile.string(call.name)), class_of(kind));
    }
    HostThread& thread = threads[call.global_tid];
    if (kind == analysis::CallKind::launch) ++thread.launches;
    thread.calls.push_back(
        {call.start_ns, call.end_ns, key->second, static_cast<std::uint32_t>(i)});
  }
}

void collect_ranges(const store::Profile& profile, RangeNames& names,
                    std::map<std::int64_t, HostThread>& threads) {
  for (std::size_t i = 0; i < profile.nvtx.size(); ++i) {
    const store::NvtxRecord range = profile.nvtx[i];
    const bool is_range = range.type == store::NvtxEventType::push_pop ||
                          range.type == store::NvtxEventType::start_end;
    // The duration of a range that was open at the end of recording is unknown.
    if (!is_range || range.end_ns < range.start_ns) continue;
    threads[range.global_tid].ranges.push_back(
        {range.start_ns, range.end_ns, names.of(range), static_cast<std::uint32_t>(i)});
  }
}

}  // namespace

RangeNames::RangeNames(const store::Profile& profile, TimelineBuilder& out)
    : keys_(profile, [this, &out](std::string_view text) {
        const std::string_view name = text.substr(0, text.find(" | "));
        const auto known = known_.find(name);
        if (known != known_.end()) return known->second;
        const std::uint32_t key = out.add_name(std::string(name), kRangeClass);
        return known_.emplace(name, key).first->second;
      }) {}

void add_host_tracks(const store::Profile& profile, RangeNames& range_names, TimelineBuilder& out) {
  std::map<std::int64_t, HostThread> threads;
  collect_calls(profile, out, threads);
  collect_ranges(profile, range_names, threads);
  std::vector<std::pair<std::int64_t, HostThread*>> order;
  for (auto& [tid, thread] : threads) order.emplace_back(tid, &thread);
  std::ranges::stable_sort(order, std::greater{},
                           [](const auto& entry) { return entry.second->launches; });
  const bool launched = !order.empty() && order.front().second->launches > 0;
  for (const auto& [tid, thread] : order) {
    if (launched && thread->launches == 0) break;
    const std::string label = "thread " + std::to_string(store::tid_of(tid));
    out.add_track(TrackKind::host_ranges, label, -1, std::move(thread->ranges), {0, tid});
    out.add_track(TrackKind::calls, label + " calls", -1, std::move(thread->calls), {0, tid});
  }
}

}  // namespace mansard::figure
