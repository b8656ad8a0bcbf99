// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/launched_in.h"

#include "analyzer/steps/by_range_name.h"
#include "analyzer/steps/open_ranges.h"

namespace mansard::analysis {
namespace {

constexpr std::size_t kBetweenChecks = 1 << 16;

}  // namespace

std::vector<bool> launched_in(const store::Profile& profile, const LaunchTable& launches,
                              const std::string& step_range,
                              const std::function<bool(std::string_view name)>& wanted,
                              const store::LoadControl& control) {
  ByRangeName<bool> is_wanted(
      profile, [&](std::string_view text) { return wanted(text.substr(0, text.find(" | "))); });
  std::vector<bool> inside(profile.kernels.size(), false);
  OpenRanges open(profile, step_range);
  std::size_t looked_at = 0;
  for (const std::uint32_t kernel : launches.kernels_in_call_order(profile)) {
    if (looked_at++ % kBetweenChecks == 0) control.check();
    const store::ApiRecord call = profile.api_calls[*launches.call(kernel)];
    open.around(call.start_ns, call.global_tid, [&](std::size_t range) {
      if (is_wanted(profile.nvtx[range])) inside[kernel] = true;
    });
  }
  return inside;
}

}  // namespace mansard::analysis
