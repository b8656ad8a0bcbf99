// SPDX-License-Identifier: Apache-2.0
// The origin of the page's data: profiles, machine models and the command that wrote the page.
#include <chrono>

#include "reports/section.h"
#include "reports/web/html.h"
#include "support/dates.h"

namespace mansard::reports {
namespace {

std::string utc_text(std::int64_t utc_ns) {
  return utc_ns > 0 ? format_utc(utc_ns) + " UTC" : std::string();
}

std::string now_text() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return utc_text(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

std::string facts(const analysis::RunAnalysis& run) {
  const store::SessionInfo& s = run.profile.session;
  std::string cpu = s.cpu_name;
  if (!cpu.empty() && s.cpu_cores > 0) cpu += ", " + std::to_string(s.cpu_cores) + " cores";
  return "<h4>Run " + escape_html(run.title) + "</h4>\n<dl class=\"facts\">\n" +
         html_fact("Command", s.command) + html_fact("Recorded", utc_text(s.start_utc_ns)) +
         html_fact("State", to_string(s.state)) +
         html_fact("Recorded part", store::describe_windows(s)) + html_fact("Host", s.host) +
         html_fact("CPU", cpu) + html_fact("Rank", s.rank >= 0 ? std::to_string(s.rank) : "") +
         html_fact("Process", s.pid > 0 ? std::to_string(s.pid) : "") +
         html_fact("Driver", s.driver_version) + html_fact("Mansard", s.mansard_version) +
         html_fact("File", run.profile.file.string()) + "</dl>\n";
}

std::string facts(const roofline::MachineModel& model) {
  const roofline::Provenance& p = model.provenance;
  std::string devices;
  for (const roofline::DeviceModel& d : model.devices) {
    if (!devices.empty()) devices += "; ";
    devices += d.device.name;
    if (!d.device.uuid.empty()) devices += " (" + d.device.uuid + ')';
  }
  return "<h4>Machine " + escape_html(model.name) + "</h4>\n<dl class=\"facts\">\n" +
         html_fact("Origin", to_string(p.origin)) + html_fact("Source", p.source) +
         html_fact("Command", p.command) + html_fact("Date", p.date_utc) +
         html_fact("Host", p.host) + html_fact("Devices", devices) +
         html_fact("Driver", p.driver_version) + html_fact("CUDA", p.cuda_version) +
         html_fact("Mansard", p.mansard_version) + "</dl>\n";
}

std::optional<Section> make_page_provenance(const SectionContext& context) {
  Section section;
  section.title = "Provenance";
  section.summary = "Commands, files, dates, drivers and versions of profiles, machines and page";
  section.folded = true;
  for (const analysis::RunAnalysis& run : context.input.runs) section.html += facts(run);
  for (const roofline::MachineModel& model : machines_of(context.input))
    section.html += facts(model);
  section.html += "<h4>Page</h4>\n<dl class=\"facts\">\n" +
                  html_fact("Command", context.input.command) + html_fact("Written", now_text()) +
                  html_fact("Mansard", MANSARD_VERSION) + "</dl>\n";
  return section;
}

}  // namespace

void register_page_provenance(SectionRegistry& registry) {
  registry.add({"provenance", SectionScope::page, 90, make_page_provenance});
}

}  // namespace mansard::reports
