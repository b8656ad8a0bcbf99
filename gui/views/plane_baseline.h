// SPDX-License-Identifier: Apache-2.0
// What a run is compared with, as a plane shows it.
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
  std::optional<OtherCeilings> ceilings;  // where it ran on another machine
};

std::shared_ptr<const PlaneBaseline> plane_baseline(PlaneKind kind,
                                                    const std::shared_ptr<const OpenRun>& run,
                                                    const std::shared_ptr<const OpenRun>& baseline);

// Whether to do that in the background: it may take more than a frame.
bool takes_long(const OpenRun& run, const OpenRun& baseline);

}  // namespace mansard::gui
