// SPDX-License-Identifier: Apache-2.0
#include "collector/cupti/counters/launch_sampler.h"

#include <algorithm>

#include "support/hash.h"

namespace mansard::collector {

bool waits_for_others(std::string_view kernel_name) {
  constexpr std::array<std::string_view, 8> kParts = {
      "nccl",     "nvshmem",  "cross_device_reduce", "all_reduce", "allreduce",
      "multimem", "symm_mem", "symmetric_memory"};
  return std::any_of(kParts.begin(), kParts.end(), [&](std::string_view part) {
    const auto found =
        std::search(kernel_name.begin(), kernel_name.end(), part.begin(), part.end(),
                    [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b; });
    return found != kernel_name.end();
  });
}

LaunchSampler::LaunchSampler(std::size_t groups, int per_kernel)
    : groups_(groups), per_kernel_(per_kernel) {}

std::optional<std::size_t> LaunchSampler::choose(const FunctionSignature& launch,
                                                 std::string_view name) {
  const auto [at, is_new] = signatures_.try_emplace(launch);
  State& state = at->second;
  if (is_new) {
    state.excluded = waits_for_others(name);
    state.reads.resize(groups_);
  }
  const auto group = state.excluded ? std::nullopt : group_for(state);
  launches_since_read_ = group ? 0 : launches_since_read_ + 1;
  if (group) ++state.reads[*group];
  return group;
}

std::optional<std::size_t> LaunchSampler::group_for(State& state) {
  if (state.reads[current_] < per_kernel_) return current_;
  const auto missing = std::find_if(state.reads.begin(), state.reads.end(),
                                    [this](int reads) { return reads < per_kernel_; });
  if (missing == state.reads.end() || ++waiting_for_another_ < kLaunchesBeforeSwitch) {
    return std::nullopt;
  }
  waiting_for_another_ = 0;
  current_ = static_cast<std::size_t>(missing - state.reads.begin());
  return current_;
}

std::size_t LaunchSampler::Hash::operator()(const FunctionSignature& launch) const {
  HashBuilder hash;
  hash.add(reinterpret_cast<std::uintptr_t>(launch.function));
  for (const std::uint32_t n : launch.grid) hash.add(n);
  for (const std::uint32_t n : launch.block) hash.add(n);
  return hash.add(launch.dynamic_shared_bytes).hash();
}

}  // namespace mansard::collector
