// SPDX-License-Identifier: Apache-2.0
#include "analyzer/cut_graphs.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

namespace mansard::analysis {
namespace {

// Branches of a graph overlap. A launch is cut if it has at least this many kernels, and most of
// them seem to run when the last one starts.
constexpr std::size_t kMinKernels = 16;

struct LaunchEnds {
  std::int64_t last_start_ns = 0;
  std::vector<std::int64_t> ends_ns;

  bool is_cut() const {
    const auto running =
        std::ranges::count_if(ends_ns, [&](std::int64_t end) { return end > last_start_ns; });
    return ends_ns.size() >= kMinKernels && 2 * static_cast<std::size_t>(running) > ends_ns.size();
  }
};

using LaunchKey = std::tuple<std::int64_t, std::int32_t, std::int64_t>;

LaunchKey key_of(const store::KernelRecord& kernel) {
  return {kernel.correlation_id, kernel.device_id, kernel.context_id};
}

}  // namespace

std::size_t remove_cut_graphs(store::Profile& profile) {
  if (profile.session.windows.empty()) return 0;
  std::map<LaunchKey, LaunchEnds> launches;
  for (const store::KernelRecord& kernel : std::as_const(profile.kernels)) {
    if (kernel.graph_node_id == 0) continue;
    LaunchEnds& launch = launches[key_of(kernel)];
    launch.last_start_ns = std::max(launch.last_start_ns, kernel.start_ns);
    launch.ends_ns.push_back(kernel.end_ns);
  }
  std::erase_if(launches, [](const auto& entry) { return !entry.second.is_cut(); });
  if (launches.empty()) return 0;
  return std::erase_if(profile.kernels.records(), [&](const store::KernelRecord& kernel) {
    return kernel.graph_node_id != 0 && launches.contains(key_of(kernel));
  });
}

}  // namespace mansard::analysis
