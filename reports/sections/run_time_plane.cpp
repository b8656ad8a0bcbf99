// SPDX-License-Identifier: Apache-2.0
// What the FLOPs and bytes of a launch take at the ceilings, beside what it took.
#include "reports/section.h"
#include "reports/web/plane_section.h"

namespace mansard::reports {
namespace {

std::optional<Section> make(const SectionContext& context) {
  if (!context.run->machine) return std::nullopt;
  const figure::PlaneFigure figure = figure::layout_time_plane(*context.run->machine, *context.run);
  if (figure.points.empty()) return std::nullopt;
  return plane_section(context, figure, time_plane_text(figure, *context.run));
}

}  // namespace

void register_run_time_plane(SectionRegistry& registry) {
  registry.add({"time-plane", SectionScope::run, 21, make});
}

}  // namespace mansard::reports
