// SPDX-License-Identifier: Apache-2.0
// What the recording tells of a slice of a stream beyond what its track holds.
#pragma once

#include <cstdint>

#include "analyzer/run_analysis.h"
#include "analyzer/steps/launch_calls.h"
#include "reports/figure/slice_track.h"

namespace mansard {

// Finds a slice's record by its times and device; of several with the same of both the first.
class SliceRecords {
 public:
  // `profile` must stay where it is.
  explicit SliceRecords(const Profile& profile) : profile_(profile), calls_(profile) {}

  // Of a kernel: from the begin of the call that launched it to its own; -1: not known.
  std::int64_t queued_ns(const Slice& slice, std::int32_t device_id) const;

  // Of a copy or a fill; 0: not known.
  std::int64_t copied_bytes(const Slice& slice, std::int32_t device_id) const;
  std::int64_t filled_bytes(const Slice& slice, std::int32_t device_id) const;

 private:
  const Profile& profile_;
  LaunchCalls calls_;
};

}  // namespace mansard
