// SPDX-License-Identifier: Apache-2.0
// The views of a page, listed in run_views.cpp.
#pragma once

#include <functional>
#include <vector>

#include "gui/views/run_view.h"

namespace mansard::gui {

// Default place of a view; views of one place are tabs.
enum class Place { figures, details, launches };

// The data that a view needs. Views that need more than a machine are hidden for a machine model;
// views that need launches have no run until these are prepared, see preview().
enum class Needs { machine, rows, launches };

struct RunViewSpec {
  const char* name;         // for settings and the command line: "time_plane"
  const char* title;        // translatable
  const char* description;  // translatable: the tooltip of the tab
  Place place;
  std::function<RunView*(SelectionModel*)> make;
  Needs needs;
};

const std::vector<RunViewSpec>& run_views();

}  // namespace mansard::gui
