// SPDX-License-Identifier: Apache-2.0
#include "reports/formats/machine_table.h"
#include "reports/section.h"
#include "reports/web/html.h"

namespace mansard::reports {
namespace {

std::optional<Section> make(const SectionContext& context) {
  const roofline::Provenance& provenance = context.machine->provenance;
  Section section;
  section.title = "Ceilings";
  const std::string device = describe(context.device->device);
  if (!device.empty()) section.html += "<p>" + escape_html(device) + ".</p>\n";
  if (provenance.origin == roofline::Origin::datasheet) {
    section.html +=
        "<ul role=\"note\"><li>Published figures, not measured. Programs reach less in "
        "practice.</li></ul>\n";
  }
  for (const analysis::Table& table : ceiling_tables(*context.device, provenance.origin)) {
    section.html += "<h4>" + escape_html(table.title) + "</h4>\n";
    section.html +=
        html_table(table, {.element_id = context.id + '-' + table.id}, &section.figures);
  }
  return section;
}

}  // namespace

void register_machine_ceilings(SectionRegistry& registry) {
  registry.add({"ceilings", SectionScope::device, 20, make});
}

}  // namespace mansard::reports
