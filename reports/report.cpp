// SPDX-License-Identifier: Apache-2.0
#include "reports/report.h"

#include <algorithm>

#include "reports/formats/machine_table.h"
#include "reports/page_style.h"
#include "reports/section.h"
#include "reports/web/html.h"

namespace mansard::reports {

namespace {

// Collects the HTML and data of all sections, in page order.
class Page {
 public:
  explicit Page(std::string title) : title_(std::move(title)) {}

  void open_part(std::string id, std::string title, std::string subtitle) {
    // The page's title names its first part already; the heading remains for screen readers.
    const bool repeated = contents_.empty() && title_.starts_with(title);
    body_ += "<article id=\"" + id + "\">\n<h2" + (repeated ? " class=\"offscreen\"" : "") + '>' +
             escape_html(title) + "</h2>\n";
    if (!subtitle.empty()) {
      body_ += "<p class=\"subtitle\">" + escape_html(subtitle) + "</p>\n";
    }
    contents_.push_back({std::move(id), std::move(title), true});
  }
  void close_part() { body_ += "</article>\n"; }

  // `folds_all`: all sections with a title are folded.
  void add_sections(SectionContext context, SectionScope scope, const std::string& prefix,
                    bool folds_all = false) {
    for (const SectionSpec* spec : sections_of(scope)) {
      context.id = prefix + spec->name;
      const std::optional<Section> section = spec->make(context);
      if (!section) continue;
      if (!section->html.empty()) {
        body_ += "<section id=\"" + context.id + "\" class=\"" + spec->name + "\">\n";
        body_ += section->title.empty() ? section->html : titled(*section, folds_all);
        body_ += "</section>\n";
        if (!section->title.empty()) contents_.push_back({context.id, section->title, false});
      }
      if (section->data_json.empty()) continue;
      if (!data_.empty()) data_ += ",\n";
      data_ += '"' + context.id + "\": " + section->data_json;
    }
  }

  std::string html() const {
    // The Content-Security-Policy enforces that the page makes no network requests.
    std::string out =
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
        "style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta name=\"color-scheme\" content=\"light dark\">\n"
        "<meta name=\"generator\" content=\"Mansard " MANSARD_VERSION
        "\">\n"
        "<link rel=\"icon\" href=\"data:,\">\n";
    out += "<title>" + escape_html(title_) + " - Mansard</title>\n<style>\n";
    out += page_style();
    out += "</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#content\">Skip to content</a>\n" +
           std::string("<header><p class=\"product\">Mansard report</p>\n<h1>") +
           escape_html(title_) + "</h1>\n</header>\n" + navigation() + "<main id=\"content\">\n" +
           body_ + "</main>\n<script type=\"application/json\" id=\"report-data\">\n" +
           script_safe_json("{\"schema_version\": 3, \"sections\": {\n" + data_ + "\n}}") +
           "\n</script>\n";
    const std::string_view script = page_file("page.js");
    if (!script.empty()) {
      out +=
          "<!-- The script contains modules of D3 (https://d3js.org), copyright 2010-2023 Mike "
          "Bostock, BSD-3-Clause and ISC licenses. -->\n<script>\n";
      out += script;
      out += "</script>\n";
    }
    return out + "</body>\n</html>\n";
  }

 private:
  struct Entry {
    std::string id;
    std::string title;
    bool is_part = false;  // otherwise a section of the part above
  };

  static std::string titled(const Section& section, bool folds_all) {
    const std::string title = "<h3>" + escape_html(section.title) + "</h3>";
    if (!section.folded && !folds_all) return title + '\n' + section.html;
    return "<details class=\"fold\"><summary>" + title +
           (section.summary.empty()
                ? ""
                : " <span class=\"about\">" + escape_html(section.summary) + "</span>") +
           "</summary>\n" + section.html + "</details>\n";
  }

  // One line that stays in sight. Pages of several runs list their parts only.
  std::string navigation() const {
    constexpr std::ptrdiff_t kPartsWithSections = 4;
    const auto parts = std::ranges::count(contents_, true, &Entry::is_part);
    if (contents_.size() < 2) return {};
    std::string out = "<nav aria-label=\"Contents\"><ul>\n";
    for (const Entry& entry : contents_) {
      if (!entry.is_part && parts > kPartsWithSections) continue;
      out += std::string(entry.is_part ? "<li class=\"part\">" : "<li>") + "<a href=\"#" +
             entry.id + "\">" + escape_html(entry.title) + "</a></li>\n";
    }
    return out + "</ul></nav>\n";
  }

  std::string title_;
  std::string body_;
  std::string data_;
  std::vector<Entry> contents_;
};

bool same(const roofline::Provenance& a, const roofline::Provenance& b) {
  return a.origin == b.origin && a.date_utc == b.date_utc && a.host == b.host &&
         a.source == b.source && a.command == b.command;
}

bool holds(const roofline::MachineModel& model, const roofline::DeviceModel& device,
           const roofline::Provenance& provenance) {
  return same(model.provenance, provenance) &&
         model.find_device(device.device.name, device.device.uuid) != nullptr;
}

std::string default_title(const ReportInput& input) {
  std::vector<std::string> names;
  for (const ReportPart& part : input.parts) names.push_back(part.title);
  if (!names.empty()) return names.front();
  for (const analysis::RunAnalysis& run : input.runs) names.push_back(run.title);
  if (names.empty()) {
    for (const roofline::MachineModel& model : input.machines)
      names.push_back("Roofline of " + model.name);
  }
  if (names.empty()) return "Empty report";
  std::string title = names.front();
  if (input.runs.size() == 1) {
    if (const std::string device = analysis::device_name(input.runs.front()); !device.empty()) {
      title += " on " + device;
    }
  }
  if (names.size() == 2) title += " and " + names[1];
  if (names.size() > 2) title += " and " + std::to_string(names.size() - 1) + " more";
  return title;
}

}  // namespace

std::vector<roofline::MachineModel> machines_of(const ReportInput& input) {
  std::vector<roofline::MachineModel> models;
  const auto known = [&](const roofline::DeviceModel& device,
                         const roofline::Provenance& provenance) {
    return std::ranges::any_of(
        models, [&](const roofline::MachineModel& m) { return holds(m, device, provenance); });
  };
  for (const roofline::MachineModel& model : input.machines) {
    if (model.devices.empty() || !known(model.devices.front(), model.provenance)) {
      models.push_back(model);
    }
  }
  for (const analysis::RunAnalysis& run : input.runs) {
    if (!run.machine || known(*run.machine, run.machine_provenance)) continue;
    models.push_back({run.machine->device.name, run.machine_provenance, {*run.machine}});
  }
  return models;
}

bool has_runs_overview(const ReportInput& input) {
  return input.runs.size() > (input.parts.empty() ? 1 : 2);
}

std::string render_html(const ReportInput& input) {
  Page page(input.title.empty() ? default_title(input) : input.title);
  if (has_runs_overview(input)) {
    page.open_part("runs", "Runs", "");
    page.add_sections({.input = input}, SectionScope::runs, "runs-");
    page.close_part();
  }
  for (std::size_t i = 0; i < input.parts.size(); ++i) {
    const ReportPart& part = input.parts[i];
    const std::string id = part.kind + std::to_string(i + 1);
    page.open_part(id, part.title, part.subtitle);
    page.add_sections({.input = input, .part = &part}, SectionScope::part, id + '-');
    page.close_part();
  }
  for (std::size_t i = 0; i < input.runs.size(); ++i) {
    const analysis::RunAnalysis& run = input.runs[i];
    const std::string id = run_id(i);
    page.open_part(id, run.title, run.profile.session.command);
    SectionContext context{.input = input, .run = &run};
    if (run.machine) context.device = &*run.machine;
    // The answers of several runs are close together, their details a click away.
    page.add_sections(context, SectionScope::run, id + '-', input.runs.size() > 1);
    page.close_part();
  }
  std::size_t number = 0;
  for (const roofline::MachineModel& model : machines_of(input)) {
    for (const roofline::DeviceModel& device : model.devices) {
      const std::string id = "machine" + std::to_string(++number);
      const std::string name = device.device.name.empty() ? model.name : device.device.name;
      page.open_part(id, name, describe(model.provenance));
      page.add_sections({.input = input, .machine = &model, .device = &device},
                        SectionScope::device, id + '-');
      page.close_part();
    }
  }
  page.open_part("page", "About this page", "");
  page.add_sections({.input = input}, SectionScope::page, "page-");
  page.close_part();
  return page.html();
}

}  // namespace mansard::reports
