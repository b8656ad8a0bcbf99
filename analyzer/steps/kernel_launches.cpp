// SPDX-License-Identifier: Apache-2.0
#include "analyzer/steps/kernel_launches.h"

#include <algorithm>

#include "analyzer/steps/launch_calls.h"

namespace mansard::analysis {

std::vector<KernelLaunch> kernel_launches(const store::Profile& profile) {
  const LaunchCalls calls(profile);
  std::vector<KernelLaunch> launches;
  launches.reserve(profile.kernels.size());
  for (std::size_t i = 0; i < profile.kernels.size(); ++i) {
    const std::int64_t id = profile.kernels[i].correlation_id;
    if (id == 0) continue;  // none was recorded
    const std::optional<store::ApiRecord> call = calls.find(id);
    if (!call) continue;
    launches.push_back({call->start_ns, call->global_tid, static_cast<std::uint32_t>(i)});
  }
  // Mostly they are: kernels are stored as they began, and streams run in order.
  if (!std::ranges::is_sorted(launches, {}, &KernelLaunch::at_ns)) {
    std::ranges::stable_sort(launches, {}, &KernelLaunch::at_ns);
  }
  return launches;
}

}  // namespace mansard::analysis
