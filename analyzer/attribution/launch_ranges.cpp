// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/launch_ranges.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "analyzer/steps/kernel_launches.h"

namespace mansard {

namespace {

// A range that is still open when the recording ends holds all that comes.
std::int64_t end_of(const NvtxRecord& range) {
  return range.end_ns < range.start_ns ? std::numeric_limits<std::int64_t>::max() : range.end_ns;
}

bool is_range(const NvtxRecord& record) {
  return record.type == NvtxEventType::push_pop || record.type == NvtxEventType::start_end;
}

}  // namespace

LaunchRanges::LaunchRanges(const Profile& profile)
    : profile_(profile),
      launched_ns_(profile.kernels.size(), 0),
      innermost_(profile.kernels.size(), -1),
      below_(profile.nvtx.size(), -1) {
  std::unordered_map<std::int64_t, std::vector<std::int32_t>> stacks;  // by thread
  const auto top_at = [&](std::vector<std::int32_t>& stack, std::int64_t time_ns) {
    while (!stack.empty() &&
           end_of(profile.nvtx[static_cast<std::size_t>(stack.back())]) <= time_ns) {
      stack.pop_back();
    }
    return stack.empty() ? -1 : stack.back();
  };
  std::size_t next = 0;
  for (const KernelLaunch& launch : kernel_launches(profile)) {
    for (; next < profile.nvtx.size() && profile.nvtx[next].start_ns <= launch.at_ns; ++next) {
      const NvtxRecord& range = profile.nvtx[next];
      if (!is_range(range)) continue;
      std::vector<std::int32_t>& stack = stacks[range.global_tid];
      below_[next] = top_at(stack, range.start_ns);
      stack.push_back(static_cast<std::int32_t>(next));
    }
    launched_ns_[launch.kernel] = launch.at_ns;
    const auto stack = stacks.find(launch.global_tid);
    if (stack != stacks.end()) innermost_[launch.kernel] = top_at(stack->second, launch.at_ns);
  }
}

std::vector<std::size_t> LaunchRanges::around(std::size_t kernel) const {
  std::vector<std::size_t> ranges;
  for (std::int32_t at = innermost_[kernel]; at >= 0; at = below_[static_cast<std::size_t>(at)]) {
    const auto range = static_cast<std::size_t>(at);
    // Start/end ranges need not nest: what was open when this one began may have ended since.
    if (end_of(profile_.nvtx[range]) > launched_ns_[kernel]) ranges.push_back(range);
  }
  std::reverse(ranges.begin(), ranges.end());
  return ranges;
}

std::string_view range_name(const Profile& profile, const NvtxRecord& range) {
  const std::string_view text = profile.text(range);
  return text.substr(0, text.find(" | "));
}

}  // namespace mansard
