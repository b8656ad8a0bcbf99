// SPDX-License-Identifier: Apache-2.0
#include "reports/formats/sweep_table.h"
#include "reports/section.h"
#include "reports/web/html.h"
#include "reports/web/sweep_svg.h"
#include "support/units.h"

namespace mansard::reports {
namespace {

struct Curve {
  SweepKind kind;
  const char* second_label;  // within a sentence
  const char* caption;
};

constexpr Curve kCurves[] = {
    {kBandwidthSweep, "bandwidth", "Each step down is a cache that no longer holds the data."},
    {kLatencySweep, "latency",
     "Seconds of one dependent load. Each step up is a cache that no longer holds the data."},
};

// The table holds the curve's values for readers who want numbers, and for those who cannot see
// the figure.
std::string figure_of(const roofline::DeviceModel& device, const Curve& curve) {
  const SweepKind& kind = curve.kind;
  const std::string description =
      escape_html(std::string(kind.label) + " over working set; the table below gives its values.");
  const std::string wide =
      sweep_svg(device, kind.unit, {.width = 960, .height = 360, .css_class = "wide"}, description);
  if (wide.empty()) return {};
  const std::string narrow = sweep_svg(
      device, kind.unit, {.width = 360, .height = 320, .css_class = "narrow"}, description);
  return "<figure><div class=\"plot\">" + wide + narrow + "</div><figcaption>" + curve.caption +
         " </figcaption></figure>\n<details><summary><span>Values</span></summary>\n" +
         html_table(reports::sweep_table(device, kind), {.interactive = true}) + "</details>\n";
}

std::optional<Section> make(const SectionContext& context) {
  Section section;
  for (const Curve& curve : kCurves) {
    const std::string figure = figure_of(*context.device, curve);
    if (figure.empty()) continue;
    section.title +=
        section.title.empty() ? curve.kind.label : std::string(" and ") + curve.second_label;
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

}  // namespace mansard::reports
