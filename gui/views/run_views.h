// SPDX-License-Identifier: Apache-2.0
// The views of a page: a new one is a line in run_views.cpp.
#pragma once

#include <functional>
#include <vector>

#include "gui/views/run_view.h"

namespace mansard {

// Where a view is until its user moves it; those of one place share it as tabs.
enum class Place { figures, details, launches };

struct RunViewSpec {
  const char* name;   // in settings and on the command line: "time_plane"
  const char* title;  // translatable
  Place place;
  std::function<RunView*(SelectionModel*)> make;
  bool needs_launches;  // hidden for a machine model alone
};

const std::vector<RunViewSpec>& run_views();

}  // namespace mansard
