// SPDX-License-Identifier: Apache-2.0
// The lines of a plane that are drawn: the run's machine's as the reader wants them, and those of
// other machines that its points compare with.
#pragma once

#include <set>
#include <vector>

#include "gui/views/plane_kind.h"
#include "gui/views/plane_options.h"

namespace mansard::gui {

// What another machine adds to a plane. Its lines carry its name.
struct OtherCeilings {
  QString name;
  std::vector<figure::PlaneLine> lines;
  // Of a figure of its own, so that what it adds is seen.
  double x_min = 0, x_max = 0, y_min = 0, y_max = 0;
};

OtherCeilings other_ceilings(PlaneKind kind, const roofline::DeviceModel& device,
                             const QString& name, const analysis::RunAnalysis* run);

// Whether the reader has it shown, at the tier of the points. Ceilings of any tier are.
bool is_shown(const figure::PlaneLine& line, const PlaneOptions& options,
              const std::optional<MemoryLevel>& level);

// Whether a ceiling bounds what is shown: of the tier of the points, or a precision that the run
// computes in. None used: a machine alone, of which all matters.
bool is_prominent(const figure::PlaneLine& line, const std::optional<MemoryLevel>& level,
                  const std::set<Precision>& used);

}  // namespace mansard::gui
