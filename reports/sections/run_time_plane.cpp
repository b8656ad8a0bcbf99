// SPDX-License-Identifier: Apache-2.0
// The time plane: compute and bandwidth time of one launch of each kernel at the ceilings, and its
// measured time.
#include "reports/section.h"
#include "reports/web/plane_section.h"

namespace mansard::reports {
namespace {

std::optional<Section> make_run_time_plane(const SectionContext& context) {
  if (!context.run->machine) return std::nullopt;
  const figure::PlaneFigure figure = figure::layout_time_plane(*context.run->machine, *context.run);
  if (figure.points.empty()) return std::nullopt;
  Section section = plane_section(context, figure, time_plane_text(figure, *context.run));
  section.summary += ": compute and memory time of one launch, measured and at the ceilings";
  section.folded = true;
  return section;
}

}  // namespace

void register_run_time_plane(SectionRegistry& registry) {
  registry.add({"time-plane", SectionScope::run, 21, make_run_time_plane});
}

}  // namespace mansard::reports
