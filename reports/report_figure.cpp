// SPDX-License-Identifier: Apache-2.0
#include "reports/report_figure.h"

#include <algorithm>
#include <stdexcept>

#include "reports/page_style.h"
#include "reports/section.h"

namespace mansard::reports {
namespace {

// The page has each figure twice, for wide and for narrow screens. Alone it is the wide one.
bool is_wide(std::string_view tag) {
  const std::size_t at = tag.find("class=\"");
  const std::string_view classes = tag.substr(at + 7, tag.find('"', at + 7) - at - 7);
  return at != std::string_view::npos && classes.find("wide") != std::string_view::npos;
}

// Behind the end of the element that begins at `at`; figures hold others that cut what is in them.
std::size_t end_of_svg(std::string_view html, std::size_t at) {
  constexpr std::string_view kEnd = "</svg>";
  int depth = 0;
  do {
    const std::size_t opens = html.find("<svg", at);
    const std::size_t closes = html.find(kEnd, at);
    if (closes == std::string_view::npos) return html.size();
    depth += opens < closes ? 1 : -1;
    at = opens < closes ? opens + 4 : closes + kEnd.size();
  } while (depth > 0);
  return at;
}

std::string standalone(std::string_view svg) {
  const std::size_t name_end = std::string_view("<svg").size();
  const std::size_t tag_end = svg.find('>') + 1;
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\"" +
         std::string(svg.substr(name_end, tag_end - name_end)) + "\n<style>" + page_style() +
         "</style>\n<rect width=\"100%\" height=\"100%\" style=\"fill:var(--background)\"/>" +
         std::string(svg.substr(tag_end)) + '\n';
}

void add_figures(std::vector<ReportFigure>& figures, const SectionContext& context,
                 SectionScope scope) {
  for (const SectionSpec* spec : sections_of(scope)) {
    SectionContext named = context;
    named.id = spec->name;
    const std::optional<Section> section = spec->make(named);
    if (!section) continue;
    const std::string_view html = section->html;
    int number = 0;
    for (std::size_t at = html.find("<svg"); at != std::string_view::npos;) {
      const std::size_t end = end_of_svg(html, at);
      const std::string_view svg = html.substr(at, end - at);
      at = html.find("<svg", end);
      if (!is_wide(svg.substr(0, svg.find('>')))) continue;
      std::string name = context.part ? context.part->kind : spec->name;
      if (++number > 1) name += '-' + std::to_string(number);
      const bool known = std::ranges::find(figures, name, &ReportFigure::name) != figures.end();
      if (!known) figures.push_back({name, standalone(svg)});
    }
  }
}

}  // namespace

std::vector<ReportFigure> report_figures(const ReportInput& input) {
  std::vector<ReportFigure> figures;
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
