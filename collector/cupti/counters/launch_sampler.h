// SPDX-License-Identifier: Apache-2.0
// Chooses the kernel launches to read, and the metric group for each.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace mansard::collector {

// A kernel signature in the running program: all launches with the same one have the same counts.
struct FunctionSignature {
  const void* function = nullptr;
  std::array<std::uint32_t, 3> grid{};
  std::array<std::uint32_t, 3> block{};
  std::uint32_t dynamic_shared_bytes = 0;

  bool operator==(const FunctionSignature&) const = default;
};

// Whether the kernel waits for kernels of other GPUs or ranks (NCCL, NVSHMEM, all-reduces of
// inference engines). It must not be read: it would run alone and wait forever.
bool waits_for_others(std::string_view kernel_name);

// Each signature is read `per_kernel` times for each group. Changing the group takes time, so
// launches of one group are read together, until enough launches need another group.
class LaunchSampler {
 public:
  LaunchSampler(std::size_t groups, int per_kernel);

  // Returns the group to read in this launch, or nothing to let it run undisturbed.
  std::optional<std::size_t> choose(const FunctionSignature& launch, std::string_view name);

  // Whether no new signature has appeared for kPatience launches, so none is expected.
  bool finished() const { return launches_since_read_ >= kPatience; }

  static constexpr std::size_t kLaunchesBeforeSwitch = 64;
  // About ten steps of a small model.
  static constexpr std::size_t kPatience = 10000;

 private:
  struct Hash {
    std::size_t operator()(const FunctionSignature& launch) const;
  };
  struct State {
    bool excluded = false;
    std::vector<int> reads;  // by group
  };

  std::optional<std::size_t> group_for(State& state);

  const std::size_t groups_;
  const int per_kernel_;
  std::unordered_map<FunctionSignature, State, Hash> signatures_;
  std::size_t current_ = 0;
  std::size_t waiting_for_another_ = 0;
  std::size_t launches_since_read_ = 0;
};

}  // namespace mansard::collector
