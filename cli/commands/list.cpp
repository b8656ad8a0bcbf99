// SPDX-License-Identifier: Apache-2.0
// `mansard list`: the contents of the registries of this build.
#include <algorithm>
#include <iostream>
#include <memory>

#include <CLI/CLI.hpp>

#include "cli/command.h"
#include "cli/format_option.h"
#include "cli/output.h"
#include "empirical_roofline/machine_model.h"
#include "kernels/kernel.h"
#include "reports/section.h"

namespace mansard::cli {
namespace {

struct ListOptions {
  std::vector<std::string> what;
  std::string format = "table";
};

analysis::Column text_column(const char* key, const char* label) {
  analysis::Column c;
  c.key = key;
  c.label = label;
  return c;
}

// "yes", or "no: " and why the kernel does not run on the last device of its target.
std::string availability(const kernels::KernelSpec& spec,
                         const std::vector<kernels::DeviceInfo>& devices) {
  std::string reason =
      spec.target == kernels::Target::cuda ? kernels::cuda_unavailable_reason() : "";
  for (const kernels::DeviceInfo& device : devices) {
    if (device.target != spec.target) continue;
    reason = spec.unsupported ? spec.unsupported(device) : "";
    if (reason.empty()) return "yes";
  }
  return reason.empty() ? "no" : "no: " + reason;
}

analysis::Table kernel_table(const char* id, const char* title, bool ceilings) {
  std::vector<kernels::DeviceInfo> devices = kernels::cuda_devices();
  devices.push_back(kernels::host_device());
  analysis::Table table{id, title, {}, {}};
  table.columns = {text_column("name", "Name"),          text_column("on", "On"),
                   text_column("role", "Role"),          text_column("precision", "Precision"),
                   text_column("tier", "Tier"),          text_column("runs_here", "Runs here"),
                   text_column("summary", "Description")};
  for (const kernels::KernelSpec& spec : kernels::kernel_registry().all()) {
    if ((spec.role != kernels::KernelRole::operation) != ceilings) continue;
    const analysis::Cell precision = spec.precision
                                         ? analysis::Cell(std::string(info(*spec.precision).label))
                                         : analysis::Cell();
    const analysis::Cell level = spec.level ? analysis::Cell(std::string(info(*spec.level).label))
                                 : spec.working_sets ? analysis::Cell(std::string("swept"))
                                                     : analysis::Cell();
    table.rows.push_back({spec.name,
                          std::string(spec.target == kernels::Target::cuda ? "GPU" : "CPU"),
                          std::string(roofline::to_string(spec.role)), precision, level,
                          availability(spec, devices), spec.summary});
  }
  return table;
}

analysis::Table tier_table() {
  analysis::Table table{"tiers", "Memory tiers and their byte counters", {}, {}};
  table.columns = {text_column("key", "Key"), text_column("label", "Tier"),
                   text_column("counters_cc80", "Counters, CC 8.0"),
                   text_column("counters_cc90", "Counters, CC 9.0"),
                   text_column("counters_cc100", "Counters, CC 10.0")};
  const auto counters = [](MemoryLevel level, int cc) {
    const std::string_view expression = counter_expression(level, cc);
    return expression.empty() ? analysis::Cell() : analysis::Cell(std::string(expression));
  };
  for (const MemoryLevelInfo& level : kMemoryLevels) {
    table.rows.push_back({std::string(level.key), std::string(level.label), counters(level.id, 80),
                          counters(level.id, 90), counters(level.id, 100)});
  }
  return table;
}

template <typename Registry>
analysis::Table named_table(const char* id, const char* title, const Registry& registry) {
  analysis::Table table{
      id, title, {text_column("name", "Name"), text_column("summary", "Description")}, {}};
  for (const auto& spec : registry.all()) table.rows.push_back({spec.name, spec.summary});
  return table;
}

analysis::Table section_table() {
  analysis::Table table{"sections", "Report sections", {}, {}};
  table.columns = {text_column("name", "Name"), text_column("scope", "Once per")};
  const auto add = [&](reports::SectionScope scope, const char* label) {
    for (const reports::SectionSpec* spec : reports::sections_of(scope)) {
      table.rows.push_back({spec->name, std::string(label)});
    }
  };
  add(reports::SectionScope::run, "run");
  add(reports::SectionScope::device, "device");
  add(reports::SectionScope::page, "page");
  return table;
}

analysis::Table machine_table() {
  analysis::Table table{"machines", "Machines with datasheet peaks", {}, {}};
  table.columns = {text_column("name", "Name"), text_column("device", "Device name"),
                   text_column("source", "Source")};
  for (const roofline::MachineModel& m : roofline::datasheet_models()) {
    table.rows.push_back({m.name, m.devices.front().device.name, m.provenance.source});
  }
  return table;
}

struct List {
  const char* name;
  std::function<analysis::Table()> table;
};

const std::vector<List>& lists() {
  static const std::vector<List> all = {
      {"ceilings", [] { return kernel_table("ceilings", "Ceilings", true); }},
      {"tiers", tier_table},
      {"kernels", [] { return kernel_table("kernels", "Kernels", false); }},
      {"analyses",
       [] { return named_table("analyses", "Analyses", analysis::analysis_registry()); }},
      {"sections", section_table},
      {"machines", machine_table},
  };
  return all;
}

int list_command(const ListOptions& options) {
  analysis::Finding finding;
  finding.id = "list";
  for (const List& list : lists()) {
    const bool wanted = options.what.empty() || std::find(options.what.begin(), options.what.end(),
                                                          list.name) != options.what.end();
    if (wanted) finding.tables.push_back(list.table());
  }
  std::cout << reports::render({finding}, format_of(options.format), render_options());
  return exit_ok;
}

}  // namespace

void register_list(CommandRegistry& registry) {
  Command command;
  command.name = "list";
  command.summary = "List ceilings, memory tiers, kernels, analyses, report sections and machines";
  command.order = 80;
  command.declare = [](CLI::App& app) -> std::function<int()> {
    auto o = std::make_shared<ListOptions>();
    std::vector<std::string> names;
    for (const List& list : lists()) names.push_back(list.name);
    app.add_option("what", o->what, "What to list. Default: everything")
        ->check(CLI::IsMember(names));
    add_format_option(app, o->format);
    return [o] { return list_command(*o); };
  };
  registry.add(std::move(command));
}

}  // namespace mansard::cli
