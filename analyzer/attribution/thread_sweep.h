// SPDX-License-Identifier: Apache-2.0
// The open annotated ranges of one thread during a sweep over time.
#pragma once

#include <algorithm>
#include <limits>

#include "analyzer/attribution/range_attribution.h"

namespace mansard::analysis {

class ThreadSweep {
 public:
  // Adds the time since the last call to the innermost range, closes ended ranges and returns the
  // innermost range at `time_ns` (-1: none). Push/pop ranges nest, so the last opened range is the
  // innermost. Start/end ranges need not nest: one that ended below another is closed when it
  // becomes the top.
  std::int32_t advance(std::int64_t time_ns, std::vector<AttributedRange>& ranges) {
    while (!open_.empty()) {
      AttributedRange& top = ranges[static_cast<std::size_t>(open_.back())];
      const std::int64_t until_ns = std::min(top.end_ns, time_ns);
      if (until_ns > now_ns_) {
        top.exclusive_ns += until_ns - now_ns_;
        now_ns_ = until_ns;
      }
      if (top.end_ns > time_ns) break;
      open_.pop_back();
    }
    now_ns_ = std::max(now_ns_, time_ns);
    return open_.empty() ? -1 : open_.back();
  }

  // Opens `range` at the time of the last advance().
  void open(std::int32_t range) { open_.push_back(range); }

 private:
  std::vector<std::int32_t> open_;
  std::int64_t now_ns_ = std::numeric_limits<std::int64_t>::min();
};

}  // namespace mansard::analysis
