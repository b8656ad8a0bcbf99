// SPDX-License-Identifier: Apache-2.0
// Which launches of kernels are read, and for which group of metrics.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace mansard::collector {

// What tells kernels apart: all launches of a signature count alike.
struct LaunchSignature {
  const void* function = nullptr;
  std::array<std::uint32_t, 3> grid{};
  std::array<std::uint32_t, 3> block{};
  std::uint32_t dynamic_shared_bytes = 0;

  bool operator==(const LaunchSignature&) const = default;
};

// A kernel that waits for kernels of other GPUs or ranks must not be read: a read runs alone, and
// the wait would never end. NCCL, NVSHMEM and the all-reduces of inference engines.
bool waits_for_others(std::string_view kernel_name);

// Each signature is read `per_kernel` times for each group. To change the group costs time, so the
// launches of one group are taken together, until enough others wait for another.
class LaunchSampler {
 public:
  LaunchSampler(std::size_t groups, int per_kernel);

  // The group to read in this launch; none: let it run undisturbed.
  std::optional<std::size_t> choose(const LaunchSignature& launch, std::string_view name);

  // Nothing new has come for so long that nothing more is expected.
  bool finished() const { return launches_since_read_ >= kPatience; }

  static constexpr std::size_t kLaunchesBeforeSwitch = 64;
  // Some ten steps of a small model.
  static constexpr std::size_t kPatience = 10000;

 private:
  struct Hash {
    std::size_t operator()(const LaunchSignature& launch) const;
  };
  struct State {
    bool excluded = false;
    std::vector<int> reads;  // by group
  };

  std::optional<std::size_t> group_for(State& state);

  const std::size_t groups_;
  const int per_kernel_;
  std::unordered_map<LaunchSignature, State, Hash> signatures_;
  std::size_t current_ = 0;
  std::size_t waiting_for_another_ = 0;
  std::size_t launches_since_read_ = 0;
};

}  // namespace mansard::collector
