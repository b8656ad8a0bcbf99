// SPDX-License-Identifier: Apache-2.0
// The views of a page: a new one is a line in run_views.cpp.
#pragma once

#include <functional>
#include <vector>

#include "gui/views/run_view.h"

namespace mansard::gui {

// Where a view is until its user moves it; those of one place share it as tabs.
enum class Place { figures, details, launches };

// What a view cannot do without. Those that need more than a machine are hidden for a machine model
// alone; those that need launches have no run before these are prepared, see first_look().
enum class Needs { machine, rows, launches };

struct RunViewSpec {
  const char* name;   // in settings and on the command line: "time_plane"
  const char* title;  // translatable
  Place place;
  std::function<RunView*(SelectionModel*)> make;
  Needs needs;
};

const std::vector<RunViewSpec>& run_views();

}  // namespace mansard::gui
