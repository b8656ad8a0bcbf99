// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/slice_lanes.h"

#include <algorithm>

namespace mansard::figure {

SliceLanes divide_into_lanes(std::vector<Slice> slices) {
  SliceLanes out;
  // Negative duration: the clock ran backwards.
  out.left_out = std::erase_if(slices, [](const Slice& s) { return s.end_ns < s.start_ns; });
  const auto before = [](const Slice& a, const Slice& b) {
    return a.start_ns != b.start_ns ? a.start_ns < b.start_ns : a.end_ns > b.end_ns;
  };
  if (!std::is_sorted(slices.begin(), slices.end(), before)) {
    std::stable_sort(slices.begin(), slices.end(), before);
  }
  for (const Slice& slice : slices) {
    const auto lane = std::find_if(
        out.lanes.begin(), out.lanes.end(),
        [&](const SliceColumns& taken) { return taken.end_ns.back() <= slice.start_ns; });
    if (lane != out.lanes.end()) {
      lane->push_back(slice);
    } else if (out.lanes.size() < kMaxLanes) {
      out.lanes.emplace_back().push_back(slice);
    } else {
      ++out.left_out;
    }
  }
  return out;
}

}  // namespace mansard::figure
