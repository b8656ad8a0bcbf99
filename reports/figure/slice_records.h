// SPDX-License-Identifier: Apache-2.0
// Looks up the profile records of a stream's slices.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "analyzer/attribution/range_stacks.h"
#include "analyzer/launch_table.h"
#include "analyzer/run_analysis.h"
#include "reports/figure/slice_track.h"

namespace mansard::figure {

class SliceRecords {
 public:
  // `run` must outlive this object.
  explicit SliceRecords(const analysis::RunAnalysis& run)
      : profile_(run.profile),
        launches_(analysis::launches_of(run)),
        ranges_(run.profile, run.options.step_range) {}

  // The API call that launched a slice of a stream, as an index into Profile::api_calls, if it was
  // recorded.
  std::optional<std::size_t> launch_call(const Slice& slice) const;
  // The names of the slice's range stack, joined with the outermost first.
  std::string ranges_around(const Slice& slice) const;

  // Bytes of a memcpy or memset; 0 for other slices.
  std::int64_t moved_bytes(const Slice& slice) const;

 private:
  const store::Profile& profile_;
  const analysis::LaunchTable& launches_;
  analysis::LaunchRanges ranges_;
};

}  // namespace mansard::figure
