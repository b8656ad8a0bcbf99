// SPDX-License-Identifier: Apache-2.0
#include "kernels/vocabulary/units.h"
#include "reports/formats/text.h"
#include "reports/section.h"
#include "reports/web/html.h"
#include "reports/web/sweep_svg.h"

namespace mansard {
namespace {

struct SweepKind {
  const char* id;
  const char* unit;
  const char* column;  // key of the table's values
  const char* label;
  const char* second_label;  // within a sentence
  const char* caption;
};

constexpr SweepKind kKinds[] = {
    {"sweep", "B/s", "bytes_per_s", "Bandwidth", "bandwidth",
     "Each step down is a cache that no longer holds the data."},
    {"latency", "s", "time_s", "Latency", "latency",
     "Seconds of one dependent load. Each step up is a cache that no longer holds the data."},
};

// The curve's values for readers who want numbers, and for those who cannot see the figure.
Table sweep_table(const DeviceModel& device, const SweepKind& kind) {
  Table table;
  table.id = kind.id;
  table.title = std::string(kind.label) + " over working set";
  table.columns = {{"kernel", "Kernel", CellFormat::text, "", ""},
                   {"working_set_bytes", "Working set", CellFormat::quantity, "B", ""},
                   {kind.column, kind.label, CellFormat::quantity, kind.unit, ""}};
  for (const SweepPoint& p : device.sweep) {
    if (p.unit == kind.unit) table.rows.push_back({p.kernel, p.working_set_bytes, p.value});
  }
  return table;
}

std::string figure_of(const DeviceModel& device, const SweepKind& kind) {
  const std::string description =
      escape_html(std::string(kind.label) + " over working set; the table below gives its values.");
  const std::string wide =
      sweep_svg(device, kind.unit, {.width = 960, .height = 360, .css_class = "wide"}, description);
  if (wide.empty()) return {};
  const std::string narrow = sweep_svg(
      device, kind.unit, {.width = 360, .height = 320, .css_class = "narrow"}, description);
  return "<figure><div class=\"plot\">" + wide + narrow + "</div><figcaption>" + kind.caption +
         " </figcaption></figure>\n<details><summary><span>Values</span></summary>\n" +
         html_table(sweep_table(device, kind), {.interactive = true}) + "</details>\n";
}

std::optional<Section> make(const SectionContext& context) {
  Section section;
  for (const SweepKind& kind : kKinds) {
    const std::string figure = figure_of(*context.device, kind);
    if (figure.empty()) continue;
    section.title += section.title.empty() ? kind.label : std::string(" and ") + kind.second_label;
    section.html += figure;
  }
  if (section.html.empty()) return std::nullopt;
  section.title += " over working set";
  return section;
}

}  // namespace

void register_machine_sweep(SectionRegistry& registry) {
  registry.add({"sweep", SectionScope::device, 30, make});
}

}  // namespace mansard
