// SPDX-License-Identifier: Apache-2.0
// All NVTX ranges around the launch of each kernel, whether they state work or not.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "collector/store/profile.h"

namespace mansard {

class LaunchRanges {
 public:
  // Linear in the profile's rows, but for sorting the launches where they are not in order.
  // `profile` must live as long as this.
  explicit LaunchRanges(const Profile& profile);

  // Of Profile::kernels[kernel], the indices into Profile::nvtx of the ranges that were open on the
  // launching thread when it was launched, the outermost first. Empty where no call was recorded.
  std::vector<std::size_t> around(std::size_t kernel) const;

 private:
  const Profile& profile_;
  std::vector<std::int64_t> launched_ns_;  // by kernel
  std::vector<std::int32_t> innermost_;    // likewise; -1: none
  std::vector<std::int32_t> below_;        // by range: what was innermost when it began
};

// What a range is called, without the work that it states: "fprop" of "fprop | flop=1e12".
std::string_view range_name(const Profile& profile, const NvtxRecord& range);

}  // namespace mansard
