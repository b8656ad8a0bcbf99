// SPDX-License-Identifier: Apache-2.0
#include "reports/report.h"

#include <algorithm>
#include <iostream>
#include <memory>

#include <CLI/CLI.hpp>

#include "cli/command.h"
#include "cli/output.h"

namespace mansard {
namespace {

struct Options {
  std::vector<std::string> profiles;
  std::vector<std::string> machines;
  std::string output = "report.html";
  std::string title;
  bool force = false;
};

// A report against published figures is worth less than one against the machine itself.
bool lacks_measured_machine(const ReportInput& input) {
  return std::ranges::any_of(input.runs, [](const RunAnalysis& run) {
    return !run.machine || run.machine_provenance.origin == Origin::datasheet;
  });
}

int report_command(const Options& o) {
  if (o.profiles.empty() && o.machines.empty()) {
    throw UsageError(
        "there is nothing to report: name a profile (made by 'mansard profile'), or a machine "
        "model with --machine (made by 'mansard characterize')");
  }
  require_writable(o.output, o.force);
  ReportInput input;
  input.title = o.title;
  input.command = invocation();
  for (const std::string& file : o.machines) input.machines.push_back(load_machine_model(file));
  for (const std::string& file : o.profiles) {
    input.runs.push_back(analyze_run(load_profile(file), input.machines));
    for (const std::string& note : input.runs.back().notes) say(file + ": " + note);
  }
  write_file(o.output, render_html(input), o.force);
  std::cout << o.output << '\n';
  suggest_next(lacks_measured_machine(input) ? "mansard characterize -o machine.json"
                                             : "xdg-open " + o.output);
  return exit_ok;
}

}  // namespace

void register_report(CommandRegistry& registry) {
  Command command;
  command.name = "report";
  command.summary = "Write profiles and machine models into one self-contained HTML page";
  command.order = 40;
  command.declare = [](CLI::App& app) -> std::function<int()> {
    auto o = std::make_shared<Options>();
    app.add_option("profiles", o->profiles,
                   "Profiles to show (SQLite; Nsight Systems' exports too)");
    app.add_option("-m,--machine", o->machines,
                   "Machine model by `mansard characterize`; is searched for the devices of the "
                   "profiles and shown on the page. Default: published figures")
        ->allow_extra_args(false);
    app.add_option("-o,--output", o->output, "The page to write")->capture_default_str();
    app.add_option("--title", o->title, "Title of the page. Default: the profile's name");
    app.add_flag("-f,--force", o->force, "Replace the page if it exists");
    return [o] { return report_command(*o); };
  };
  registry.add(std::move(command));
}

}  // namespace mansard
