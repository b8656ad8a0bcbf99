// SPDX-License-Identifier: Apache-2.0
// A baseline run as a plane displays it.
#pragma once

#include <memory>
#include <optional>

#include "gui/models/open_run.h"
#include "gui/models/row_matches.h"
#include "gui/views/plane_ceilings.h"
#include "reports/figure/points_of_rows.h"

namespace mansard::gui {

struct PlaneBaseline {
  std::shared_ptr<const OpenRun> run;
  QString name;
  figure::PlaneFigure figure;
  figure::PointsOfRows points;
  RowMatches matches;
  std::optional<OtherCeilings> ceilings;  // set if it ran on another machine
};

std::shared_ptr<const PlaneBaseline> plane_baseline(PlaneKind kind,
                                                    const std::shared_ptr<const OpenRun>& run,
                                                    const std::shared_ptr<const OpenRun>& baseline);

// Whether to call plane_baseline() in the background: it may take longer than a frame.
bool takes_long(const OpenRun& run, const OpenRun& baseline);

}  // namespace mansard::gui
