// SPDX-License-Identifier: Apache-2.0
// Which API call launched which kernels, memcpys, memsets and graphs: the arrows of a trace.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/launch_table.h"
#include "analyzer/run_analysis.h"

namespace mansard::reports {

class LaunchFlows {
 public:
  // Keeps 4 bytes for each launch. `run` must live as long as this.
  explicit LaunchFlows(const analysis::RunAnalysis& run);

  // The call that launched a record with this correlation id.
  std::optional<store::ApiRecord> call(std::int64_t correlation_id) const;

  // The arrow that ends at a launch; 0: it has no call, or one of the two has no times.
  std::uint64_t incoming(analysis::LaunchKind kind, std::size_t record) const;
  // The arrows that begin at a call, by its index in Profile::api_calls: one for each launch.
  void outgoing(std::size_t call, std::vector<std::uint64_t>& flows) const;

 private:
  const store::Profile& profile_;
  const analysis::LaunchTable& launches_;
  std::vector<std::uint32_t> by_call_;  // launches with times, by call
};

}  // namespace mansard::reports
