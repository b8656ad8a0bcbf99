// SPDX-License-Identifier: Apache-2.0
// The captions of a plane: how to read it, and which kernels it omits.
#pragma once

#include <string>

#include "reports/figure/plane_figure.h"

namespace mansard::reports {

struct PlaneText {
  std::string title;
  std::string caption;      // under the figure
  std::string description;  // text alternative
};

// A null `run` means only the machine.
PlaneText roofline_text(const figure::PlaneFigure& figure, const analysis::RunAnalysis* run);
PlaneText time_plane_text(const figure::PlaneFigure& figure, const analysis::RunAnalysis& run);
PlaneText complexity_plane_text(const figure::PlaneFigure& figure,
                                const analysis::RunAnalysis& run);

}  // namespace mansard::reports
