// SPDX-License-Identifier: Apache-2.0
#include "collector/cupti/counters/wanted_kernels.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "support/hash.h"

namespace mansard::collector {
namespace {

constexpr std::int64_t kBucket_ns = 50'000'000;

std::array<std::uint32_t, 3> extent(const std::array<std::int32_t, 3>& recorded) {
  return {static_cast<std::uint32_t>(recorded[0]), static_cast<std::uint32_t>(recorded[1]),
          static_cast<std::uint32_t>(recorded[2])};
}

}  // namespace

void WantedKernels::add_kernel(std::string_view mangled_name, const store::KernelRecord& launch) {
  kernels_.emplace(std::string(mangled_name),
                   Shape(extent(launch.grid), extent(launch.block),
                         static_cast<std::uint32_t>(launch.dynamic_shared_bytes)));
}

bool WantedKernels::contains(const FunctionSignature& launch, std::string_view mangled_name) const {
  if (launch.graph_id != 0) return graphs_.contains(launch.graph_id);
  return kernels_.contains(
      {std::string(mangled_name), Shape(launch.grid, launch.block, launch.dynamic_shared_bytes)});
}

std::size_t KernelTimes::Hash::operator()(const Key& key) const {
  const auto& [name, grid, block, shared_bytes, graph] = key;
  return HashBuilder().add(name).add(grid).add(block).add(shared_bytes).add(graph).hash();
}

void KernelTimes::add(const store::KernelRecord& kernel, std::string_view mangled_name) {
  const bool of_graph = kernel.graph_id != 0;
  const Key key = of_graph ? Key{0, {}, {}, 0, kernel.graph_id}
                           : Key{kernel.mangled_name, kernel.grid, kernel.block,
                                 kernel.dynamic_shared_bytes, 0};
  const auto [at, is_new] = kernels_.try_emplace(key);
  Kernel& known = at->second;
  if (is_new) {
    known.name = of_graph ? "" : mangled_name;
    known.launch = kernel;
    known.first_ns = kernel.start_ns;
    if (first_ns_ == 0) first_ns_ = kernel.start_ns;
  }
  if ((is_new || of_graph) && waits_for_others(mangled_name)) {
    known.communicates = communicates_ = true;
  }
  const auto time_ns = static_cast<double>(kernel.end_ns - kernel.start_ns);
  const bool settled = kernel.start_ns - known.first_ns >= kSettling_ns;
  known.time_ns += time_ns;
  known.since_selection_ns += time_ns;
  const std::int64_t period = kernel.start_ns / kSettling_ns;
  period_ = std::max(period_, period);
  if (period != known.period) {
    known.in_previous_ns = period == known.period + 1 ? known.in_period_ns : 0;
    known.in_period_ns = 0;
    known.period = period;
  }
  known.in_period_ns += time_ns;
  if (recent_.empty() || kernel.start_ns >= recent_.back().start_ns + kBucket_ns) {
    recent_.push_back({kernel.start_ns, 0, 0});
    while (recent_.front().start_ns < kernel.start_ns - kSettling_ns) recent_.pop_front();
  }
  recent_.back().time_ns += time_ns;
  if (settled) recent_.back().settled_ns += time_ns;
}

double KernelTimes::recent_ns(const Kernel& kernel) const {
  if (kernel.period == period_) return kernel.in_period_ns + kernel.in_previous_ns;
  return kernel.period + 1 == period_ ? kernel.in_period_ns : 0;
}

bool KernelTimes::settled() const {
  if (recent_.empty() || recent_.back().start_ns - first_ns_ < 2 * kSettling_ns) return false;
  double time_ns = 0;
  double settled_ns = 0;
  for (const Bucket& bucket : recent_) {
    time_ns += bucket.time_ns;
    settled_ns += bucket.settled_ns;
  }
  return settled_ns >= kMostTime * time_ns;
}

std::shared_ptr<const WantedKernels> KernelTimes::select(std::size_t most, bool only_recent) {
  std::vector<Kernel*> by_time;
  double since_ns = 0;
  double unread_ns = 0;
  double all_ns = 0;
  const auto weight = [&](const Kernel& kernel) {
    return only_recent ? recent_ns(kernel) : kernel.time_ns;
  };
  for (auto& [key, kernel] : kernels_) {
    since_ns += kernel.since_selection_ns;
    all_ns += weight(kernel);
    if (kernel.selected || kernel.communicates) continue;
    unread_ns += kernel.since_selection_ns;
    by_time.push_back(&kernel);
  }
  auto wanted = std::make_shared<WantedKernels>();
  if (unread_ns <= (1 - kMostTime) * since_ns) return wanted;
  std::sort(by_time.begin(), by_time.end(), [&](const Kernel* a, const Kernel* b) {
    return weight(*a) != weight(*b) ? weight(*a) > weight(*b)
                                    : a->launch.start_ns < b->launch.start_ns;
  });
  double left_ns = 0;
  for (const Kernel* kernel : by_time) left_ns += weight(*kernel);
  for (Kernel* kernel : by_time) {
    if (left_ns <= (1 - kMostTime) * all_ns || wanted->size() == most) break;
    left_ns -= weight(*kernel);
    kernel->selected = true;
    if (kernel->launch.graph_id != 0) {
      wanted->add_graph(static_cast<std::uint32_t>(kernel->launch.graph_id));
    } else {
      wanted->add_kernel(kernel->name, kernel->launch);
    }
  }
  for (auto& [key, kernel] : kernels_) kernel.since_selection_ns = 0;
  return wanted;
}

}  // namespace mansard::collector
