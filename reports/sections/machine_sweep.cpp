// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/svg_writer.h"
#include "reports/figure/sweep_plot.h"
#include "reports/formats/sweep_table.h"
#include "reports/section.h"
#include "reports/web/html.h"
#include "support/units.h"

namespace mansard::reports {
namespace {

struct Curve {
  SweepKind kind;
  const char* second_label;  // within a sentence
  const char* caption;
};

constexpr double kWideHeight_px = 360;
constexpr double kNarrowHeight_px = 320;

constexpr Curve kCurves[] = {
    {kBandwidthSweep, "bandwidth", "At each drop the working set exceeds the capacity of a cache."},
    {kLatencySweep, "latency",
     "Time per dependent load. At each rise the working set exceeds the capacity of a cache."},
};

// The figure, and a table with the values of the curve.
std::string figure_of(const roofline::DeviceModel& device, const Curve& curve,
                      std::vector<PageFigure>& figures) {
  const SweepKind& kind = curve.kind;
  const auto wide = figure::layout_sweep(device, kind.unit, kWideFigure_px, kWideHeight_px,
                                         figure::page_text_size);
  const auto narrow = figure::layout_sweep(device, kind.unit, kNarrowFigure_px, kNarrowHeight_px,
                                           figure::page_text_size);
  if (!wide || !narrow) return {};
  figures.push_back(
      {draw(*wide), draw(*narrow), "",
       std::string(kind.label) + " vs. working set; the table below lists the values."});
  return "<figure><div class=\"plot\">" + html_svg(figures.back()) + "</div><figcaption>" +
         curve.caption +
         " </figcaption></figure>\n<details><summary><span>Values</span></summary>\n" +
         html_table(reports::sweep_table(device, kind), {.interactive = true}) + "</details>\n";
}

std::optional<Section> make(const SectionContext& context) {
  Section section;
  for (const Curve& curve : kCurves) {
    const std::string figure = figure_of(*context.device, curve, section.figures);
    if (figure.empty()) continue;
    section.title +=
        section.title.empty() ? curve.kind.label : std::string(" and ") + curve.second_label;
    section.html += figure;
  }
  if (section.html.empty()) return std::nullopt;
  section.title += " vs. working set";
  section.folded = !context.input.runs.empty();
  section.summary = format_number_of(static_cast<std::int64_t>(section.figures.size()), "curve");
  for (const MemoryLevel level : {MemoryLevel::l2, MemoryLevel::hbm}) {
    const roofline::Ceiling* ceiling = context.device->bandwidth(level);
    if (ceiling == nullptr) continue;
    section.summary +=
        ", " + std::string(info(level).label) + ' ' + format_si(ceiling->value, ceiling->unit);
  }
  return section;
}

}  // namespace

void register_machine_sweep(SectionRegistry& registry) {
  registry.add({"sweep", SectionScope::device, 30, make});
}

}  // namespace mansard::reports
