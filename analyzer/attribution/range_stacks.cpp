// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/range_stacks.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <unordered_set>

#include "analyzer/steps/step_ranges.h"
#include "collector/store/global_ids.h"

namespace mansard::analysis {

namespace {

std::int64_t end_of(const store::NvtxRecord& range) {
  return range.end_ns < range.start_ns ? std::numeric_limits<std::int64_t>::max() : range.end_ns;
}

bool is_range(const store::NvtxRecord& record) {
  return record.type == store::NvtxEventType::push_pop ||
         record.type == store::NvtxEventType::start_end;
}

}  // namespace

RangeStacks::RangeStacks(const store::Profile& profile, std::string_view step_range)
    : below_(profile.nvtx.size(), -1) {
  struct Open {
    std::int32_t range;
    std::int64_t end_ns;
  };
  std::unordered_map<std::int64_t, std::vector<Open>> stacks;  // by thread
  std::unordered_set<std::int64_t> processes;
  for (std::size_t i = 0; i < profile.nvtx.size(); ++i) {
    const store::NvtxRecord& range = profile.nvtx[i];
    if (!is_range(range)) continue;
    std::vector<Open>& stack = stacks[range.global_tid];
    // A start/end range below the top may have ended too: around() skips it.
    while (!stack.empty() && stack.back().end_ns <= range.start_ns) stack.pop_back();
    if (!stack.empty()) below_[i] = stack.back().range;
    stack.push_back({static_cast<std::int32_t>(i), end_of(range)});
    Thread& thread = threads_[range.global_tid];
    thread.start_ns.push_back(range.start_ns);
    thread.range.push_back(static_cast<std::uint32_t>(i));
    processes.insert(store::process_key(range.global_tid));
  }
  for (const std::int64_t process : processes) {
    const StepRanges steps = find_step_ranges(profile, step_range, process);
    if (!steps.empty()) stepping_.emplace(process, steps.global_tid);
  }
}

void RangeStacks::add_open(const store::Profile& profile, std::int64_t global_tid,
                           std::int64_t at_ns, std::vector<OpenRange>& open) const {
  const auto thread = threads_.find(global_tid);
  if (thread == threads_.end()) return;
  const std::vector<std::int64_t>& starts = thread->second.start_ns;
  const auto after = std::ranges::upper_bound(starts, at_ns);
  if (after == starts.begin()) return;
  const auto last = static_cast<std::size_t>(after - starts.begin()) - 1;
  // All open ranges of this thread were on the stack when its last range started.
  for (auto at = static_cast<std::int32_t>(thread->second.range[last]); at >= 0;
       at = below_[static_cast<std::size_t>(at)]) {
    const auto range = static_cast<std::size_t>(at);
    const store::NvtxRecord& record = profile.nvtx[range];
    if (end_of(record) > at_ns) open.push_back({record.start_ns, end_of(record), range});
  }
}

std::vector<std::size_t> RangeStacks::around(const store::Profile& profile, std::int64_t global_tid,
                                             std::int64_t at_ns) const {
  std::vector<OpenRange> open;
  add_open(profile, global_tid, at_ns, open);
  const auto stepping = stepping_.find(store::process_key(global_tid));
  if (stepping != stepping_.end() && stepping->second != global_tid) {
    add_open(profile, stepping->second, at_ns, open);
  }
  // Profile::nvtx keeps records with equal starts in the order of recording.
  std::ranges::sort(open, {},
                    [](const OpenRange& r) { return std::tuple(r.start_ns, -r.end_ns, r.range); });
  std::vector<std::size_t> stack;
  stack.reserve(open.size());
  for (const OpenRange& r : open) stack.push_back(r.range);
  return stack;
}

std::vector<std::size_t> LaunchRanges::around(std::size_t kernel) const {
  const std::optional<std::size_t> index = launches_.call(kernel);
  if (!index) return {};
  const store::ApiRecord call = profile_.api_calls[*index];
  return stacks_.around(profile_, call.global_tid, call.start_ns);
}

std::string_view range_name(const store::Profile& profile, const store::NvtxRecord& range) {
  const std::string_view text = profile.text(range);
  return text.substr(0, text.find(" | "));
}

}  // namespace mansard::analysis
