// SPDX-License-Identifier: Apache-2.0
#include "gui/views/plane_ceilings.h"

#include "support/units.h"

namespace mansard::gui {
namespace {

// In the time plane, the launch time of a machine is drawn as two sides of a box.
std::vector<figure::PlaneLine> sides_of_box(const figure::PlaneFigure& figure) {
  std::vector<figure::PlaneLine> sides;
  for (const figure::PlaneRegion& region : figure.regions) {
    if (!(region.x1 > 0)) continue;
    figure::PlaneLine side;
    side.kind = figure::LineKind::boundary;
    side.label_place = figure::LabelPlace::near_start;
    side.value = region.x1;
    side.open_start = true;
    side.id = region.id + " of bandwidth";
    side.name = "Launch";
    side.label = "Launch, " + format_si(region.x1, "s");
    side.x0 = figure.x.min;
    side.x1 = region.x1;
    side.y0 = side.y1 = region.y1;
    sides.push_back(side);
    side.id = region.id + " of compute";
    side.label.clear();  // one label for both sides
    side.x0 = side.x1 = region.x1;
    side.y0 = figure.y.min;
    side.y1 = region.y1;
    sides.push_back(side);
  }
  return sides;
}

}  // namespace

OtherCeilings other_ceilings(PlaneKind kind, const roofline::DeviceModel& device,
                             const QString& name, const analysis::RunAnalysis* run) {
  const figure::PlaneFigure figure =
      layout_plane(kind, &device, kind == PlaneKind::complexity ? run : nullptr);
  OtherCeilings out{name, {}, figure.x.min, figure.x.max, figure.y.min, figure.y.max};
  if (kind == PlaneKind::time) {
    out.lines = sides_of_box(figure);
  } else {
    for (const figure::PlaneLine& line : figure.lines) {
      if (line.kind != figure::LineKind::iso) out.lines.push_back(line);
    }
  }
  const std::string of_machine = " (" + name.toStdString() + ')';
  for (figure::PlaneLine& line : out.lines) {
    if (!line.label.empty()) line.label += of_machine;
    line.name += of_machine;
  }
  return out;
}

bool is_shown(const figure::PlaneLine& line, const PlaneOptions& options,
              const std::optional<MemoryLevel>& level) {
  if (line.precision && options.hidden_precisions.contains(*line.precision)) return false;
  if (line.level && options.hidden_levels.contains(*line.level)) return false;
  return line.kind == figure::LineKind::ceiling || figure::holds_at(line.level, level);
}

}  // namespace mansard::gui
