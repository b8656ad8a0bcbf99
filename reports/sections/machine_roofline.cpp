// SPDX-License-Identifier: Apache-2.0
// The roofline of the machine without kernels. Omitted if the roofline of a run already shows this
// machine.
#include <algorithm>

#include "reports/section.h"
#include "reports/web/plane_section.h"

namespace mansard::reports {
namespace {

std::optional<Section> make_machine_roofline(const SectionContext& context) {
  const bool drawn = std::ranges::any_of(context.input.runs, [&](const analysis::RunAnalysis& run) {
    return run.machine && run.machine->device.name == context.device->device.name &&
           run.machine->device.uuid == context.device->device.uuid &&
           run.machine_provenance.date_utc == context.machine->provenance.date_utc;
  });
  if (drawn) return std::nullopt;
  const figure::PlaneFigure figure = figure::layout_roofline(*context.device, nullptr);
  return plane_section(context, figure, roofline_text(figure, nullptr));
}

}  // namespace

void register_machine_roofline(SectionRegistry& registry) {
  registry.add({"roofline", SectionScope::device, 10, make_machine_roofline});
}

}  // namespace mansard::reports
