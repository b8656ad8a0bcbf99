// SPDX-License-Identifier: Apache-2.0
// `mansard show`: prints a machine model, or the datasheet peaks of a known machine.
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <stdexcept>

#include <CLI/CLI.hpp>

#include "cli/command.h"
#include "cli/format_option.h"
#include "cli/output.h"
#include "empirical_roofline/machine_model.h"
#include "reports/formats/machine_table.h"
#include "reports/formats/overview.h"

namespace mansard::cli {
namespace {

struct ShowOptions {
  std::vector<std::string> machines;
  bool all = false;
  std::string format = "table";
};

roofline::MachineModel machine_model(const std::string& machine) {
  if (std::filesystem::exists(machine)) return roofline::load_machine_model(machine);
  const std::vector<roofline::MachineModel>& known = roofline::datasheet_models();
  const auto found = std::ranges::find(known, machine, &roofline::MachineModel::name);
  if (found != known.end()) return *found;
  throw std::runtime_error("unknown machine '" + machine +
                           "': neither a file nor a name in 'mansard list machines'");
}

int show_command(const ShowOptions& o) {
  const reports::Format format = format_of(o.format);
  const bool brief = prints_overview(format, o.all);
  std::vector<analysis::Finding> findings;
  for (const std::string& machine : o.machines) {
    findings.push_back(reports::machine_finding(machine_model(machine)));
    if (brief) findings.back() = reports::machine_overview(findings.back());
  }
  reports::RenderOptions options = render_options();
  if (brief) fit_overview(options);
  std::cout << reports::render(findings, format, options);
  if (brief) say("--all prints all ceilings: every kernel, data pattern and regime");
  return exit_ok;
}

}  // namespace

void register_show(CommandRegistry& registry) {
  Command command;
  command.name = "show";
  command.summary = "Show the ceilings of a machine model, or a known machine's datasheet peaks";
  command.order = 12;
  command.declare = [](CLI::App& app) -> std::function<int()> {
    auto o = std::make_shared<ShowOptions>();
    app.add_option(
           "machines", o->machines,
           "Machine model files from 'mansard characterize', or names from 'mansard list machines'")
        ->required();
    app.add_flag(
        "--all", o->all,
        "Print all ceilings. Default: those that bound runs; formats other than table always "
        "have everything");
    add_format_option(app, o->format);
    return [o] { return show_command(*o); };
  };
  command.reads_files = true;
  registry.add(std::move(command));
}

}  // namespace mansard::cli
