// SPDX-License-Identifier: Apache-2.0
// Which call launched which kernels, copies, fills and graphs: the arrows of a trace.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/steps/launch_calls.h"

namespace mansard::reports {

enum class DeviceList : std::size_t { kernels, copies, fills, graphs };

class LaunchFlows {
 public:
  // Keeps 16 bytes for each activity and each call. `profile` must live as long as this.
  explicit LaunchFlows(const store::Profile& profile);

  // That launched it.
  std::optional<store::ApiRecord> call(std::int64_t correlation_id) const {
    if (correlation_id == 0) return std::nullopt;
    return calls_.find(correlation_id);
  }

  // The arrow that ends at an activity; 0: it has no call, or one of the two has no times.
  std::uint64_t incoming(DeviceList list, std::size_t index) const;
  // Those that begin at a call, by its number in Profile::api_calls: one for each activity.
  void outgoing(std::size_t call, std::vector<std::uint64_t>& flows) const;

 private:
  struct Entry {
    std::int64_t correlation_id;
    std::uint64_t flow;
  };
  template <class Records>
  void add(const Records& records, std::uint64_t first_flow);

  const store::Profile& profile_;
  analysis::LaunchCalls calls_;
  std::vector<Entry> entries_;  // by correlation id, then by flow
};

}  // namespace mansard::reports
