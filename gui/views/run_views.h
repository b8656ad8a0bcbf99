// SPDX-License-Identifier: Apache-2.0
// The views of a page, listed in run_views.cpp.
#pragma once

#include <functional>
#include <vector>

#include "gui/views/run_view.h"

namespace mansard::gui {

// Default place of a view; views of one place are tabs.
enum class Place { figures, details, launches };

// The data that a view needs. A view is hidden if the run does not have it: a machine model has no
// rows, a program without a GPU no kernels, some profiles have no NVTX ranges, most have no record
// of a training, and such a record may have nothing else. Views that need launches or kernels have
// no run until the launches are prepared, see preview().
enum class Needs { machine, rows, launches, kernels, ranges, training };

// Whether a page of an ordinary profile may lack a view with these needs.
constexpr bool is_often_missing(Needs needs) {
  return needs == Needs::ranges || needs == Needs::training;
}

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
