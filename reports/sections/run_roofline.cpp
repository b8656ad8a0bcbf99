// SPDX-License-Identifier: Apache-2.0
#include "reports/section.h"
#include "reports/web/plane_section.h"

namespace mansard::reports {
namespace {

std::optional<Section> make_run_roofline(const SectionContext& context) {
  if (!context.run->machine) return std::nullopt;
  const figure::PlaneFigure figure = figure::layout_roofline(*context.run->machine, context.run);
  if (figure.points.empty()) return std::nullopt;  // the machine's section lists its ceilings
  return plane_section(context, figure, roofline_text(figure, context.run));
}

}  // namespace

void register_run_roofline(SectionRegistry& registry) {
  registry.add({"roofline", SectionScope::run, 20, make_run_roofline});
}

}  // namespace mansard::reports
