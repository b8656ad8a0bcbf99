// SPDX-License-Identifier: Apache-2.0
// The tracks of launching threads: their NVTX ranges and API calls.
#pragma once

#include <functional>
#include <string_view>

#include "analyzer/steps/by_range_name.h"
#include "reports/figure/timeline_builder.h"

namespace mansard::figure {

// The keys of ranges by name without annotation: "fprop" for "fprop | flop=1e12".
class RangeNames {
 public:
  RangeNames(const store::Profile& profile, TimelineBuilder& out);
  RangeNames(const RangeNames&) = delete;  // keys_ refers to known_
  std::uint32_t of(const store::NvtxRecord& range) { return keys_(range); }

 private:
  std::map<std::string, std::uint32_t, std::less<>> known_;
  analysis::ByRangeName<std::uint32_t> keys_;
};

// Adds the tracks of all threads with launches, sorted by falling number of launches. Without
// recorded launches, those of all threads.
void add_host_tracks(const store::Profile& profile, RangeNames& range_names, TimelineBuilder& out);

}  // namespace mansard::figure
