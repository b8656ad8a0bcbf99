// SPDX-License-Identifier: Apache-2.0
// What the page says about a plane: how to read it, and which kernels are not in it.
#pragma once

#include <string>

#include "reports/figure/plane_figure.h"

namespace mansard::reports {

struct PlaneText {
  std::string title;
  std::string caption;      // under the figure
  std::string description;  // for readers who cannot see it
};

// `run` may be null: the machine alone.
PlaneText roofline_text(const figure::PlaneFigure& figure, const analysis::RunAnalysis* run);
PlaneText time_plane_text(const figure::PlaneFigure& figure, const analysis::RunAnalysis& run);
PlaneText complexity_plane_text(const figure::PlaneFigure& figure,
                                const analysis::RunAnalysis& run);

}  // namespace mansard::reports
