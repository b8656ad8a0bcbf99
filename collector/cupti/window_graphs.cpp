// SPDX-License-Identifier: Apache-2.0
#include "collector/cupti/window_graphs.h"

namespace mansard::collector {

bool WindowGraphs::launched(CUgraphExec graph) {
  const std::lock_guard lock(mutex_);
  if (!closing_) {
    graphs_.insert(graph);
    return false;
  }
  graphs_.erase(graph);
  return graphs_.empty();
}

bool WindowGraphs::close() {
  const std::lock_guard lock(mutex_);
  closed_ = std::chrono::steady_clock::now();
  closing_ = !graphs_.empty();
  return closing_;
}

bool WindowGraphs::is_overdue() const {
  if (!closing_) return false;
  const std::lock_guard lock(mutex_);
  return std::chrono::steady_clock::now() - closed_ > kPatience;
}

void WindowGraphs::finish() {
  const std::lock_guard lock(mutex_);
  closing_ = false;
  graphs_.clear();
}

void WindowGraphs::launch_begins(std::uint32_t correlation_id) {
  if (!closing_) return;
  const std::lock_guard lock(mutex_);
  outside_.insert(correlation_id);
  any_outside_ = true;
}

bool WindowGraphs::is_outside(std::uint32_t correlation_id) const {
  if (!any_outside_) return false;
  const std::lock_guard lock(mutex_);
  return outside_.contains(correlation_id);
}

}  // namespace mansard::collector
