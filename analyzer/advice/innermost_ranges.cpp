// SPDX-License-Identifier: Apache-2.0
#include "analyzer/advice/innermost_ranges.h"

#include <algorithm>
#include <map>

#include "analyzer/launch_table.h"

namespace mansard::analysis {

namespace {

struct RangeLaunch {
  std::int64_t time_ns;
  std::size_t kernel;
};

struct Thread {
  std::vector<std::size_t> ranges;  // into Profile::nvtx, sorted by start
  std::vector<RangeLaunch> launches;
};

std::map<std::int64_t, Thread> by_thread(const store::Profile& profile,
                                         const LaunchTable& launches) {
  std::map<std::int64_t, Thread> threads;
  profile.nvtx.for_each([&](std::size_t i, const store::NvtxRecord& range) {
    const bool is_range = range.type == store::NvtxEventType::push_pop ||
                          range.type == store::NvtxEventType::start_end;
    if (is_range && range.end_ns >= range.start_ns) threads[range.global_tid].ranges.push_back(i);
  });
  if (threads.empty()) return threads;
  for (std::size_t k = 0; k < profile.kernels.size(); ++k) {
    const std::optional<std::size_t> index = launches.call(k);
    if (!index) continue;
    const store::ApiRecord call = profile.api_calls[*index];
    const auto thread = threads.find(call.global_tid);
    if (thread == threads.end()) continue;
    thread->second.launches.push_back({call.start_ns, k});
  }
  for (auto& [id, thread] : threads) {
    std::stable_sort(
        thread.launches.begin(), thread.launches.end(),
        [](const RangeLaunch& a, const RangeLaunch& b) { return a.time_ns < b.time_ns; });
  }
  return threads;
}

}  // namespace

std::vector<std::int64_t> innermost_ranges(const store::Profile& profile,
                                           const LaunchTable& launches) {
  std::vector<std::int64_t> scopes(profile.kernels.size(), -1);
  for (const auto& [id, thread] : by_thread(profile, launches)) {
    std::vector<std::size_t> open;
    std::size_t next = 0;
    for (const RangeLaunch& launch : thread.launches) {
      while (next < thread.ranges.size() &&
             profile.nvtx[thread.ranges[next]].start_ns <= launch.time_ns) {
        open.push_back(thread.ranges[next++]);
      }
      // Start/end ranges need not nest: an ended range can be at any position.
      std::erase_if(
          open, [&](std::size_t range) { return profile.nvtx[range].end_ns <= launch.time_ns; });
      if (open.empty()) continue;
      const auto outer = std::find_if(open.rbegin(), open.rend(), [&](std::size_t range) {
        return !profile.work.contains(profile.nvtx[range].row_id);
      });
      const std::size_t scope = outer == open.rend() ? open.back() : *outer;
      scopes[launch.kernel] = static_cast<std::int64_t>(scope);
    }
  }
  return scopes;
}

}  // namespace mansard::analysis
