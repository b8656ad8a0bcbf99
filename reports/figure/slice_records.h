// SPDX-License-Identifier: Apache-2.0
// Looks up the records of the profile behind a slice of a stream.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "analyzer/attribution/launch_ranges.h"
#include "analyzer/run_analysis.h"
#include "analyzer/steps/launch_calls.h"
#include "reports/figure/timeline_tracks.h"

namespace mansard::figure {

// Finds a slice's record by its times, device and stream; of several with all of these the first.
class SliceRecords {
 public:
  // `run` must stay where it is.
  explicit SliceRecords(const analysis::RunAnalysis& run)
      : profile_(run.profile), calls_(run.profile), stacks_(run.profile, run.options.steps_range) {}

  // The API call that launched a kernel, if both were recorded.
  std::optional<store::ApiRecord> launch_call(const Slice& slice, const TimelineTrack& track) const;
  // The names of the ranges around such a call as one text, the outermost first.
  std::string ranges_around(const store::ApiRecord& call) const;

  // Bytes of a memcpy or memset; 0: not available.
  std::int64_t copied_bytes(const Slice& slice, const TimelineTrack& track) const;
  std::int64_t filled_bytes(const Slice& slice, const TimelineTrack& track) const;

 private:
  const store::Profile& profile_;
  analysis::LaunchCalls calls_;
  analysis::RangeStacks stacks_;
};

}  // namespace mansard::figure
