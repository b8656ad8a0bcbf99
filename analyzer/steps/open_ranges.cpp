// SPDX-License-Identifier: Apache-2.0
#include "analyzer/steps/open_ranges.h"

#include "analyzer/steps/step_ranges.h"
#include "collector/store/global_ids.h"

namespace mansard::analysis {

bool is_whole_range(const store::NvtxRecord& record) {
  return (record.type == store::NvtxEventType::push_pop ||
          record.type == store::NvtxEventType::start_end) &&
         record.end_ns >= record.start_ns;
}

void OpenRanges::advance(std::int64_t time_ns) {
  for (; next_ < profile_.nvtx.size() && profile_.nvtx[next_].start_ns <= time_ns; ++next_) {
    const store::NvtxRecord& range = profile_.nvtx[next_];
    if (!is_whole_range(range)) continue;
    std::vector<std::size_t>& open = open_[range.global_tid];
    // Removes ended ranges at the top now, which bounds the stack of threads without launches.
    while (!open.empty() && profile_.nvtx[open.back()].end_ns <= range.start_ns) open.pop_back();
    open.push_back(next_);
  }
}

const std::vector<std::size_t>& OpenRanges::open_on(std::int64_t global_tid, std::int64_t at_ns) {
  std::vector<std::size_t>& open = open_[global_tid];
  // Ranges need not nest: an ended range may be below an open one.
  std::erase_if(open, [&](std::size_t i) { return profile_.nvtx[i].end_ns <= at_ns; });
  return open;
}

std::int64_t OpenRanges::stepping_thread(std::int64_t global_tid) {
  const std::int64_t process = store::process_key(global_tid);
  const auto [known, is_new] = stepping_.try_emplace(process, 0);
  if (is_new) known->second = find_step_ranges(profile_, step_range_, process).global_tid;
  return known->second;
}

}  // namespace mansard::analysis
