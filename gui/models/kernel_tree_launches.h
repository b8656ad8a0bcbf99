// SPDX-License-Identifier: Apache-2.0
// Which launches are under a signature of the kernel tree, and in which order: apart from the tree,
// so that another thread can put millions in order.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "gui/models/shown_launches.h"

namespace mansard::gui {

struct LaunchList {
  std::vector<std::uint32_t> launches;  // that pass; the first `ordered` are in their order
  std::size_t ordered = 0;
  std::size_t fetched = 0;
};

struct TreeLaunches {
  std::shared_ptr<const OpenRun> run;
  std::shared_ptr<const ShownLaunches> shown;
  bool by_duration = true;  // else by start
  bool falls = true;

  // In the order of the recording.
  LaunchList list_of(std::size_t row) const;
  // A list of many is ordered as far as it is looked at.
  void order_up_to(LaunchList& list, std::size_t count) const;
  // Of launches of the same key the earlier one comes first.
  bool before(std::uint32_t a, std::uint32_t b) const;

 private:
  std::int64_t key(std::size_t launch) const;
};

}  // namespace mansard::gui
