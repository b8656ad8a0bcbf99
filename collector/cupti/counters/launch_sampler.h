// SPDX-License-Identifier: Apache-2.0
// Chooses the kernel launches to read, and the metrics for each.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "collector/cupti/counters/metric_plan.h"

namespace mansard::collector {

// A kernel signature in the running program, or a CUDA graph: all launches with the same one have
// the same counts.
struct FunctionSignature {
  const void* function = nullptr;  // CUfunction, or CUgraphExec
  std::array<std::uint32_t, 3> grid{};
  std::array<std::uint32_t, 3> block{};
  std::uint32_t dynamic_shared_bytes = 0;
  std::uint32_t graph_id = 0;  // of a graph, as in its nodes' records; 0: a kernel
  // Hash of the library call that launches it, which states the shape of a GEMM: a persistent
  // kernel has the same grid for all shapes. 0: none.
  std::uint64_t work = 0;

  bool operator==(const FunctionSignature&) const = default;
  std::size_t hash() const;
};

// Whether the kernel waits for kernels of other GPUs or ranks (NCCL, NVSHMEM, all-reduces of
// inference engines). It must not be read: it would run alone and wait forever.
bool waits_for_others(std::string_view kernel_name);

// Metric groups are read in rounds, as opening a group takes time. In the first pass of a round,
// every launch is read whose signature still needs the group, and gets a slot; in each further
// pass, another launch of each of these signatures is read. A pass ends when all slots are read, or
// no launch was read for a while. As programs start with kernels that never come again, a signature
// gets a slot of several passes at its second launch, unless it is known to be wanted.
class LaunchSampler {
 public:
  // The state of the counters in which a launch is read.
  struct Turn {
    std::size_t round = 0;  // from 1
    std::size_t group = 0;
    std::size_t pass = 0;
    std::size_t capacity = 0;  // maximum number of slots of the round
  };
  struct Choice {
    Turn turn;
    std::size_t slot = 0;
    bool ends_pass = false;  // the last launch of the pass, or of the round
    bool ends_round = false;
  };

  // Each signature is read `per_kernel` times for each group.
  LaunchSampler(const std::vector<MetricGroup>& groups, int per_kernel);

  // From now on reads only launches for which `is_wanted` is true. They have `count` different
  // signatures, not counting different library calls.
  using IsWanted = std::function<bool(const FunctionSignature& launch, std::string_view name)>;
  void want(IsWanted is_wanted, std::size_t count);

  // Returns how to read this launch, or nothing to let it run undisturbed. `name`: of the kernel;
  // "" for a graph.
  std::optional<Choice> choose(const FunctionSignature& launch, std::string_view name);

  // The round that has begun and has not ended.
  std::optional<std::size_t> open_round() const;

  // Whether nothing more is expected to be read: all wanted signatures are read, or no launch was
  // read for kPatience launches.
  bool finished() const;

  static constexpr std::size_t kLeastPatience = 64;
  // For kernels that are expected to be launched again: more launches than most steps have.
  static constexpr std::size_t kPatienceForStep = 2000;
  // About ten steps of a small model.
  static constexpr std::size_t kPatience = 10000;
  // CUPTI needs 0.5 MB of memory and 0.75 ms per slot to open a group (13.0, H100).
  static constexpr std::size_t kMostSlots = 128;

 private:
  struct Hash {
    std::size_t operator()(const FunctionSignature& launch) const { return launch.hash(); }
  };
  struct State {
    std::string name;
    bool wanted = true;
    std::size_t launches = 0;
    std::vector<int> reads;          // complete ones, by group
    std::vector<std::size_t> slots;  // in the open round
    std::size_t reads_in_pass = 0;
    std::size_t pass = 0;  // to which reads_in_pass belongs
  };
  struct Group {
    std::size_t launches;  // to read a kernel once
    bool reads_graphs;
  };

  State& state_of(const FunctionSignature& launch, std::string_view name);
  bool is_wanted(const FunctionSignature& launch, std::string_view name) const;
  bool applies(std::size_t group, const FunctionSignature& launch) const {
    return launch.graph_id == 0 || groups_[group].reads_graphs;
  }
  int missing(const State& state, const FunctionSignature& launch, std::size_t group) const;
  std::optional<std::size_t> group_needed(const State& state,
                                          const FunctionSignature& launch) const;
  bool is_early(const State& state, std::size_t group) const;  // may be its only launch
  void open(std::size_t group);
  std::optional<std::size_t> slot_for(State& state, const FunctionSignature& launch);
  std::size_t patience() const;
  void end_pass();
  void drop_unread_members();
  void end_round();
  void count_missing();

  std::vector<Group> groups_;
  const int per_kernel_;
  IsWanted is_wanted_;
  std::size_t wanted_ = 0;
  std::unordered_map<FunctionSignature, State, Hash> signatures_;
  std::unordered_set<FunctionSignature, Hash> seen_wanted_;  // with work = 0
  std::size_t missing_ = 0;  // signatures and groups that are not read, of those seen
  std::size_t launches_since_read_ = 0;

  std::size_t rounds_ = 0;
  Turn turn_;
  bool is_open_ = false;
  // All of these belong to the open round.
  std::vector<State*> members_;
  std::unordered_set<FunctionSignature, Hash> members_seen_;  // with work = 0
  std::size_t slots_ = 0;
  std::size_t reads_in_pass_ = 0;
  std::size_t launches_in_pass_ = 0;
  std::size_t last_read_in_pass_ = 0;  // number of the launch
  std::size_t launches_in_first_pass_ = 0;
  bool first_pass_was_full_ = false;
};

}  // namespace mansard::collector
