// SPDX-License-Identifier: Apache-2.0
// The complexity plane: FLOPs and bytes of one launch of each kernel.
#include "reports/section.h"
#include "reports/web/plane_section.h"

namespace mansard::reports {
namespace {

std::optional<Section> make_run_complexity_plane(const SectionContext& context) {
  if (!context.run->machine) return std::nullopt;
  const figure::PlaneFigure figure =
      figure::layout_complexity_plane(*context.run->machine, *context.run);
  if (figure.points.empty()) return std::nullopt;
  Section section = plane_section(context, figure, complexity_plane_text(figure, *context.run));
  section.summary += ": bytes over FLOPs of one launch";
  section.folded = true;
  return section;
}

}  // namespace

void register_run_complexity_plane(SectionRegistry& registry) {
  registry.add({"complexity-plane", SectionScope::run, 22, make_run_complexity_plane});
}

}  // namespace mansard::reports
