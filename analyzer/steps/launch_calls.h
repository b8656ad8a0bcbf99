// SPDX-License-Identifier: Apache-2.0
// Which API call put an activity on a device.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "collector/store/profile.h"

namespace mansard::analysis {

class LaunchCalls {
 public:
  explicit LaunchCalls(const store::Profile& profile);

  // The number, in Profile::api_calls, of the call with this correlation id. The earliest, should
  // several carry the id: a runtime call and the driver's call inside it.
  std::optional<std::uint32_t> number_of(std::int64_t correlation_id) const;
  std::optional<store::ApiRecord> find(std::int64_t correlation_id) const;

  // When it began; `start_ns`, the activity's own, where no call was recorded.
  std::int64_t launch_ns(std::int64_t correlation_id, std::int64_t start_ns) const {
    const std::optional<std::uint32_t> call = number_of(correlation_id);
    return call ? profile_.api_calls[*call].start_ns : start_ns;
  }

 private:
  struct Entry {
    std::int64_t correlation_id;
    std::uint32_t call;  // into Profile::api_calls
  };
  static constexpr std::uint32_t kNone = 0xffffffff;

  const store::Profile& profile_;
  // By correlation id less the least, where ids count calls as they nearly always do.
  std::vector<std::uint32_t> table_;
  std::int64_t least_id_ = 0;
  std::vector<Entry> entries_;  // otherwise: by correlation id, then by start
};

}  // namespace mansard::analysis
