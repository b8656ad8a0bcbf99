// SPDX-License-Identifier: Apache-2.0
// CUDA graphs at the end of a window. CUPTI (13.0) gives each launch of a graph memory for the
// times of its nodes, and reuses that of the last launch once kernels are not recorded any more:
// the nodes of the last launch in the window would end with those of a later one. So kernels are
// recorded until each graph has been launched once more, and what was launched after the window is
// dropped.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <set>
#include <unordered_set>

#include <cuda.h>

namespace mansard::collector {

// Safe to call from any thread.
class WindowGraphs {
 public:
  // A graph that is not launched again within this time is not waited for.
  static constexpr std::chrono::milliseconds kPatience{2000};

  // A launch in the window, or after it. Returns true if it is the last one to wait for.
  bool launched(CUgraphExec graph);
  // The window has closed. Returns true if kernels must be recorded for longer.
  bool close();
  bool is_closing() const { return closing_; }
  bool is_overdue() const;
  // Kernels are not recorded any more, or a window opens again.
  void finish();

  // After close(): a kernel or graph is launched.
  void launch_begins(std::uint32_t correlation_id);
  bool is_outside(std::uint32_t correlation_id) const;

 private:
  std::atomic<bool> closing_ = false;
  std::atomic<bool> any_outside_ = false;
  mutable std::mutex mutex_;  // guards the fields below
  std::set<CUgraphExec> graphs_;
  std::chrono::steady_clock::time_point closed_;
  std::unordered_set<std::uint32_t> outside_;
};

}  // namespace mansard::collector
