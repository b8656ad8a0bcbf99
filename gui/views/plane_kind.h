// SPDX-License-Identifier: Apache-2.0
// The kinds of planes, and the texts of their views.
#pragma once

#include <QString>

#include "gui/models/shown_launches.h"
#include "reports/figure/plane_figure.h"

namespace mansard::gui {

enum class PlaneKind { roofline, time, complexity };

// `machine` null: unknown; `run` null: only the machine.
figure::PlaneFigure layout_plane(PlaneKind kind, const roofline::DeviceModel* machine,
                                 const analysis::RunAnalysis* run);

QString title_of(PlaneKind kind);

// The analysis whose tables contain the plane's data.
const char* analysis_of(PlaneKind kind);

// Why the plane is empty and what to do; empty string if it is not.
QString empty_sentence(const figure::PlaneFigure& figure, PlaneKind kind,
                       const analysis::RunAnalysis* run, const ShownLaunches& shown);

}  // namespace mansard::gui
