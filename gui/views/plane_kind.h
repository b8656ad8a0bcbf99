// SPDX-License-Identifier: Apache-2.0
// The planes there are, and what their views say.
#pragma once

#include <QString>

#include "gui/models/shown_launches.h"
#include "reports/figure/plane_figure.h"

namespace mansard::gui {

enum class PlaneKind { roofline, time, complexity };

// `machine` null: none is known; `run` null: the machine alone.
figure::PlaneFigure layout_plane(PlaneKind kind, const roofline::DeviceModel* machine,
                                 const analysis::RunAnalysis* run);

QString title_of(PlaneKind kind);

// The analysis whose tables are the plane's numbers.
const char* analysis_of(PlaneKind kind);

// Why there is nothing to see, and what to do about it; empty where there is something.
QString empty_sentence(const figure::PlaneFigure& figure, PlaneKind kind,
                       const analysis::RunAnalysis* run, const ShownLaunches& shown);

}  // namespace mansard::gui
