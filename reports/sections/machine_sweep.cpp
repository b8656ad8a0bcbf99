// SPDX-License-Identifier: Apache-2.0
#include "empirical_roofline/collective_fit.h"
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

std::string figure_with_table(const roofline::DeviceModel& device, std::string_view unit,
                              roofline::SweepAxis axis, const std::string& title,
                              const std::string& caption, const analysis::Table& values,
                              std::vector<PageFigure>& figures) {
  const auto wide = figure::layout_sweep(device, unit, axis, kWideFigure_px, kWideHeight_px,
                                         figure::page_text_size);
  const auto narrow = figure::layout_sweep(device, unit, axis, kNarrowFigure_px, kNarrowHeight_px,
                                           figure::page_text_size);
  if (!wide || !narrow) return {};
  figures.push_back(
      {draw(*wide), draw(*narrow), "", title + "; the table below lists the values."});
  return "<figure><div class=\"plot\">" + html_svg(figures.back()) + "</div><figcaption>" +
         caption + " </figcaption></figure>\n<details><summary><span>Values</span></summary>\n" +
         html_table(values, {.interactive = true}) + "</details>\n";
}

// The figure, and a table with the values of the curve.
std::string figure_of(const roofline::DeviceModel& device, const Curve& curve,
                      std::vector<PageFigure>& figures) {
  const SweepKind& kind = curve.kind;
  return figure_with_table(device, kind.unit, roofline::SweepAxis::working_set,
                           std::string(kind.label) + " vs. working set", curve.caption,
                           reports::sweep_table(device, kind), figures);
}

std::optional<Section> make_collectives(const SectionContext& context) {
  const roofline::DeviceModel& device = *context.device;
  Section section;
  section.html = figure_with_table(
      device, "B/s", roofline::SweepAxis::message, "Bus bandwidth of collectives vs. message size",
      "Small messages are limited by the latency of a call, large ones by the links.",
      collective_table(device), section.figures);
  if (section.html.empty()) return std::nullopt;
  section.title = "Collectives vs. message size";
  section.html = html_table(collective_fit_table(device), {.interactive = true}) + section.html;
  section.folded = !context.input.runs.empty();
  const std::vector<roofline::CollectiveFit> fits = roofline::fit_collectives(device.sweep);
  section.summary = format_number_of(static_cast<std::int64_t>(fits.size()), "collective");
  return section;
}

std::optional<Section> make_machine_sweep(const SectionContext& context) {
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
  registry.add({"sweep", SectionScope::device, 30, make_machine_sweep});
  registry.add({"collectives", SectionScope::device, 31, make_collectives});
}

}  // namespace mansard::reports
