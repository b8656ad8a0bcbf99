// SPDX-License-Identifier: Apache-2.0
#include "reports/report_figure.h"

#include <algorithm>
#include <stdexcept>

#include "reports/figure/svg_writer.h"
#include "reports/section.h"

namespace mansard::reports {
namespace {

void add_figures(std::vector<ReportFigure>& figures, const SectionContext& context,
                 SectionScope scope) {
  for (const SectionSpec* spec : sections_of(scope)) {
    SectionContext named = context;
    named.id = spec->name;
    const std::optional<Section> section = spec->make(named);
    if (!section) continue;
    int number = 0;
    for (const PageFigure& figure : section->figures) {
      std::string name = context.part ? context.part->kind : spec->name;
      if (++number > 1) name += '-' + std::to_string(number);
      if (std::ranges::find(figures, name, &ReportFigure::name) != figures.end()) continue;
      figures.push_back(
          {std::move(name),
           figure::to_svg(figure.wide, {.description = figure.description, .standalone = true})});
    }
  }
}

}  // namespace

std::vector<ReportFigure> report_figures(const ReportInput& input) {
  std::vector<ReportFigure> figures;
  if (has_runs_overview(input)) add_figures(figures, {.input = input}, SectionScope::runs);
  for (const ReportPart& part : input.parts) {
    add_figures(figures, {.input = input, .part = &part}, SectionScope::part);
  }
  for (const analysis::RunAnalysis& run : input.runs) {
    SectionContext context{.input = input, .run = &run};
    if (run.machine) context.device = &*run.machine;
    add_figures(figures, context, SectionScope::run);
  }
  for (const roofline::MachineModel& model : machines_of(input)) {
    for (const roofline::DeviceModel& device : model.devices) {
      add_figures(figures, {.input = input, .machine = &model, .device = &device},
                  SectionScope::device);
    }
  }
  return figures;
}

std::string report_figure(const ReportInput& input, std::string_view name) {
  std::vector<ReportFigure> figures = report_figures(input);
  const auto found = std::ranges::find(figures, name, &ReportFigure::name);
  if (found != figures.end()) return std::move(found->svg);
  std::string known;
  for (const ReportFigure& figure : figures) known += (known.empty() ? "" : ", ") + figure.name;
  throw std::invalid_argument("this report has no figure '" + std::string(name) + "'" +
                              (known.empty() ? ": it has none" : "; it has " + known));
}

}  // namespace mansard::reports
