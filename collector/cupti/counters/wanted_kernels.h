// SPDX-License-Identifier: Apache-2.0
// The kernels and CUDA graphs that take the program's time, from their records: when to read
// hardware counters, and of what.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "collector/cupti/counters/launch_sampler.h"
#include "collector/store/device_tables.h"

namespace mansard::collector {

// Kernels by name and launch shape, and graphs by id.
class WantedKernels {
 public:
  void add_graph(std::uint32_t graph_id) { graphs_.insert(graph_id); }
  void add_kernel(std::string_view mangled_name, const store::KernelRecord& launch);
  bool contains(const FunctionSignature& launch, std::string_view mangled_name) const;
  std::size_t size() const { return graphs_.size() + kernels_.size(); }

 private:
  using Shape =
      std::tuple<std::array<std::uint32_t, 3>, std::array<std::uint32_t, 3>, std::uint32_t>;
  std::set<std::uint32_t> graphs_;
  std::set<std::pair<std::string, Shape>> kernels_;
};

class KernelTimes {
 public:
  // Records must come roughly in the order of their times.
  void add(const store::KernelRecord& kernel, std::string_view mangled_name);

  // Whether the program repeats itself: at least kMostTime of the kernel time of the last kSettling
  // is of kernels that had first run at least as long before.
  bool settled() const;
  // Whether a kernel waited for other GPUs or ranks.
  bool communicates() const { return communicates_; }

  // The kernels that make up kMostTime of the last one to two kSettling or, without `only_recent`,
  // of all time; at most `most` of them, except those that were selected before. Empty if those
  // that are left take less than 1 - kMostTime of the time since the last selection.
  std::shared_ptr<const WantedKernels> select(std::size_t most, bool only_recent = true);

  static constexpr std::int64_t kSettling_ns = 1'000'000'000;
  static constexpr double kMostTime = 0.99;

 private:
  struct Kernel {
    std::string name;
    store::KernelRecord launch;  // any of them
    std::int64_t first_ns = 0;
    std::int64_t period = 0;  // number of the kSettling in which it last started
    double in_period_ns = 0;
    double in_previous_ns = 0;  // in the period before
    double time_ns = 0;
    double since_selection_ns = 0;
    bool communicates = false;
    bool selected = false;
  };
  struct Bucket {
    std::int64_t start_ns = 0;
    double time_ns = 0;
    double settled_ns = 0;
  };
  // Name id, grid, block and dynamic shared memory; or only the graph.
  using Key = std::tuple<std::int64_t, std::array<std::int32_t, 3>, std::array<std::int32_t, 3>,
                         std::int32_t, std::int32_t>;
  struct Hash {
    std::size_t operator()(const Key& key) const;
  };

  double recent_ns(const Kernel& kernel) const;

  std::unordered_map<Key, Kernel, Hash> kernels_;
  std::deque<Bucket> recent_;
  std::int64_t first_ns_ = 0;
  std::int64_t period_ = 0;  // the latest
  bool communicates_ = false;
};

}  // namespace mansard::collector
