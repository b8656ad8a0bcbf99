// SPDX-License-Identifier: Apache-2.0
// Selects the lines that a plane draws: the ceilings of the run's machine that the user has not
// hidden, and the relevant ones of other machines.
#pragma once

#include <vector>

#include "gui/views/plane_kind.h"
#include "gui/views/plane_options.h"

namespace mansard::gui {

// Lines that another machine adds to a plane, labeled with its name.
struct OtherCeilings {
  QString name;
  std::vector<figure::PlaneLine> lines;
  // Limits of its own figure, so that its lines are visible.
  double x_min = 0, x_max = 0, y_min = 0, y_max = 0;
};

OtherCeilings other_ceilings(PlaneKind kind, const roofline::DeviceModel& device,
                             const QString& name, const analysis::RunAnalysis* run);

// Whether the options show the line, given the memory tier of the points. Ceilings without a tier
// pass.
bool is_shown(const figure::PlaneLine& line, const PlaneOptions& options,
              const std::optional<MemoryLevel>& level);

}  // namespace mansard::gui
