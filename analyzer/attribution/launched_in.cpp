// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/launched_in.h"

#include "analyzer/steps/by_range_name.h"

namespace mansard::analysis {
namespace {

constexpr std::size_t kBetweenChecks = 1 << 16;

}  // namespace

std::vector<bool> launched_in(const store::Profile& profile, const LaunchTable& launches,
                              const LaunchRanges& ranges,
                              const std::function<bool(std::string_view name)>& wanted,
                              const store::LoadControl& control) {
  ByRangeName<bool> is_wanted(
      profile, [&](std::string_view text) { return wanted(text.substr(0, text.find(" | "))); });
  std::vector<bool> inside(profile.kernels.size(), false);
  for (std::size_t kernel = 0; kernel < inside.size(); ++kernel) {
    if (kernel % kBetweenChecks == 0) control.check();
    for (const std::size_t range : ranges.around(profile, launches, kernel)) {
      if (is_wanted(profile.nvtx[range])) inside[kernel] = true;
    }
  }
  return inside;
}

}  // namespace mansard::analysis
