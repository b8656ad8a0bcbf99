// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/slice_records.h"

namespace mansard::figure {

std::optional<std::size_t> SliceRecords::launch_call(const Slice& slice) const {
  if (slice.record == Slice::kNoRecord) return std::nullopt;
  return launches_.call(slice.record);
}

std::string SliceRecords::ranges_around(const Slice& slice) const {
  std::string text;
  if (slice.record == Slice::kNoRecord) return text;
  for (const std::size_t range : ranges_.around(profile_, launches_, slice.record)) {
    const store::NvtxRecord record = profile_.nvtx[range];
    if (!text.empty()) text += " \u203a ";  // the separator of the GUI
    text += analysis::range_name(profile_, record);
  }
  return text;
}

std::int64_t SliceRecords::moved_bytes(const Slice& slice) const {
  if (slice.record == Slice::kNoRecord) return 0;
  const std::size_t record = launches_.record(slice.record);
  switch (launches_.kind(slice.record)) {
    case analysis::LaunchKind::memcpy:
      return profile_.memcpys[record].bytes;
    case analysis::LaunchKind::memset:
      return profile_.memsets[record].bytes;
    case analysis::LaunchKind::kernel:
    case analysis::LaunchKind::graph:
      return 0;
  }
  return 0;
}

}  // namespace mansard::figure
