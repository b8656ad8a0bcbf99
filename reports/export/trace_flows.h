// SPDX-License-Identifier: Apache-2.0
// The flow arrows of a trace: from API calls to the kernels, memcpys, memsets and graphs they
// launched.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/launch_table.h"
#include "analyzer/run_analysis.h"

namespace mansard::reports {

class TraceFlows {
 public:
  // Uses 4 bytes per launch. `run` must outlive this object.
  explicit TraceFlows(const analysis::RunAnalysis& run);

  // The API call that launched the record with this correlation id.
  std::optional<store::ApiRecord> call(std::int64_t correlation_id) const;

  // The flow that ends at a launch. 0: no API call, or one of the two has no times.
  std::uint64_t incoming(analysis::LaunchKind kind, std::size_t record) const;
  // The flows that start at an API call (index into Profile::api_calls), one per launch.
  void outgoing(std::size_t call, std::vector<std::uint64_t>& flows) const;

 private:
  const store::Profile& profile_;
  const analysis::LaunchTable& launches_;
  std::vector<std::uint32_t> by_call_;  // launches with times, by call
};

}  // namespace mansard::reports
