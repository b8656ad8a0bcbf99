// SPDX-License-Identifier: Apache-2.0
#include "kernels/vocabulary/units.h"
#include "reports/formats/text.h"
#include "reports/section.h"
#include "reports/web/html.h"
#include "reports/web/sweep_svg.h"

namespace mansard {
namespace {

// The curve's values for readers who want numbers, and for those who cannot see the figure.
Table sweep_table(const DeviceModel& device) {
  Table table;
  table.id = "sweep";
  table.title = "Bandwidth over working set";
  table.columns = {{"kernel", "Kernel", CellFormat::text, "", ""},
                   {"working_set_bytes", "Working set", CellFormat::quantity, "B", ""},
                   {"bytes_per_s", "Bandwidth", CellFormat::quantity, "B/s", ""}};
  for (const SweepPoint& p : device.sweep) {
    if (p.unit != "B/s") continue;
    table.rows.push_back({p.kernel, p.working_set_bytes, p.value});
  }
  return table;
}

std::optional<Section> make(const SectionContext& context) {
  const std::string description =
      escape_html("Bandwidth over working set; the table below gives its values.");
  const std::string figure =
      sweep_svg(*context.device, {.width = 960, .height = 360, .css_class = "wide"}, description);
  if (figure.empty()) return std::nullopt;
  Section section;
  section.title = "Bandwidth over working set";
  section.html = "<figure><div class=\"plot\">" + figure +
                 sweep_svg(*context.device, {.width = 360, .height = 320, .css_class = "narrow"},
                           description) +
                 "</div><figcaption>Each step down is a cache that no longer holds the data. "
                 "</figcaption></figure>\n<details><summary><span>Values</span></summary>\n" +
                 html_table(sweep_table(*context.device), {.interactive = true}) + "</details>\n";
  return section;
}

}  // namespace

void register_machine_sweep(SectionRegistry& registry) {
  registry.add({"sweep", SectionScope::device, 30, make});
}

}  // namespace mansard
