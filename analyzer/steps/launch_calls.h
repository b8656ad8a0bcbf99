// SPDX-License-Identifier: Apache-2.0
// Which API call put an activity on a device.
#pragma once

#include <cstdint>
#include <vector>

#include "collector/store/profile.h"

namespace mansard {

class LaunchCalls {
 public:
  explicit LaunchCalls(const Profile& profile);

  // Of the call with this correlation id; nullptr where none was recorded. The earliest, should
  // several carry the id: a runtime call and the driver's call inside it.
  const ApiRecord* find(std::int64_t correlation_id) const;

  // When it began; `start_ns`, the activity's own, where no call was recorded.
  std::int64_t launch_ns(std::int64_t correlation_id, std::int64_t start_ns) const {
    const ApiRecord* call = find(correlation_id);
    return call != nullptr ? call->start_ns : start_ns;
  }

 private:
  struct Entry {
    std::int64_t correlation_id;
    std::uint32_t call;  // into Profile::api_calls
  };
  const Profile& profile_;
  std::vector<Entry> entries_;  // by correlation id, then by start
};

}  // namespace mansard
