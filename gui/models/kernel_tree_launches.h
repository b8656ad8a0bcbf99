// SPDX-License-Identifier: Apache-2.0
// The launches of one kernel signature in the tree, and their order. Independent of the model, so
// that another thread can sort millions.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "gui/models/shown_launches.h"

namespace mansard::gui {

struct LaunchList {
  std::vector<std::uint32_t> launches;  // that pass the filter; the first `ordered` are sorted
  std::size_t ordered = 0;
  std::size_t fetched = 0;
};

struct TreeLaunches {
  std::shared_ptr<const OpenRun> run;
  std::shared_ptr<const ShownLaunches> shown;
  bool by_duration = true;  // otherwise by start
  bool falls = true;

  // In the order of the profile.
  LaunchList list_of(std::size_t row) const;
  // Long lists are sorted only as far as they are displayed.
  void order_up_to(LaunchList& list, std::size_t count) const;
  // Launches with equal keys keep the order of the profile.
  bool before(std::uint32_t a, std::uint32_t b) const;

 private:
  std::int64_t key(std::size_t launch) const;
};

}  // namespace mansard::gui
