// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <memory>

#include <CLI/CLI.hpp>

#include "analyzer/run_analysis.h"
#include "cli/command.h"
#include "cli/format_option.h"
#include "cli/output.h"

namespace mansard {
namespace {

struct Options {
  std::string profile;
  std::vector<std::string> machines;
  std::vector<std::string> analyses;
  std::string format = "table";
  int rows = 20;
  std::string output;
  bool force = false;
};

std::vector<const AnalysisSpec*> chosen_analyses(const std::vector<std::string>& names) {
  std::vector<const AnalysisSpec*> chosen;
  if (names.empty()) {
    for (const AnalysisSpec& spec : analysis_registry().all()) chosen.push_back(&spec);
    return chosen;
  }
  for (const std::string& name : names) {
    const AnalysisSpec* spec = analysis_registry().find(name);
    if (spec == nullptr) {
      std::vector<std::string> known;
      for (const AnalysisSpec& other : analysis_registry().all()) known.push_back(other.name);
      throw UsageError("there is no analysis '" + name + "'." + did_you_mean(name, known) +
                       " 'mansard list analyses' shows them all.");
    }
    chosen.push_back(spec);
  }
  return chosen;
}

std::vector<MachineModel> load_machines(const std::vector<std::string>& files) {
  std::vector<MachineModel> machines;
  for (const std::string& file : files) machines.push_back(load_machine_model(file));
  return machines;
}

// Notes belong to whatever was asked for. As a table for programs; for a terminal, whose cells are
// cut to its width, as a paragraph.
Finding notes_finding(const RunAnalysis& run, Format format) {
  Finding finding;
  finding.id = "notes";
  finding.title = "Notes";
  if (format == Format::table) {
    for (std::size_t i = 0; i < run.notes.size(); ++i) {
      finding.summary += (i > 0 ? " (" : "(") + std::to_string(i + 1) + ") " + run.notes[i];
    }
    return finding;
  }
  Table table{"notes", "Notes", {{"note", "note", CellFormat::text, "", "What to know"}}, {}};
  for (const std::string& note : run.notes) table.rows.push_back({note});
  finding.tables.push_back(std::move(table));
  return finding;
}

std::string report_command(const Options& o) {
  std::string command = "mansard report " + o.profile;
  for (const std::string& machine : o.machines) command += " --machine " + machine;
  return command + " -o report.html";
}

int analyze_command(const Options& o) {
  const std::vector<const AnalysisSpec*> analyses = chosen_analyses(o.analyses);
  if (!o.output.empty()) require_writable(o.output, o.force);
  const std::vector<MachineModel> machines = load_machines(o.machines);
  const RunAnalysis run = analyze_run(load_profile(o.profile), machines);

  std::vector<Finding> findings;
  for (const AnalysisSpec* spec : analyses) findings.push_back(spec->run(run));
  const Format format = format_of(o.format);
  if (!run.notes.empty()) findings.push_back(notes_finding(run, format));
  RenderOptions options;
  options.max_rows = o.rows;
  if (o.output.empty()) options.width = output_width();
  const std::string text = render(findings, format, options);
  if (o.output.empty()) {
    std::cout << text;
  } else {
    write_file(o.output, text, o.force);
    say("wrote " + o.output);
  }
  suggest_next(report_command(o));
  return exit_ok;
}

}  // namespace

void register_analyze(CommandRegistry& registry) {
  Command command;
  command.name = "analyze";
  command.summary = "Say where a profile's time went, and how far that is from the speed of light";
  command.order = 30;
  command.declare = [](CLI::App& app) -> std::function<int()> {
    auto o = std::make_shared<Options>();
    app.add_option("profile", o->profile,
                   "Profile to analyse (SQLite; Nsight Systems' exports too)")
        ->required();
    app.add_option("-m,--machine", o->machines,
                   "Machine model by `mansard characterize`; several are searched for the device "
                   "of the profile. Default: published figures")
        ->allow_extra_args(false);
    app.add_option("--analysis", o->analyses, "Only these analyses (see 'mansard list analyses')")
        ->delimiter(',')
        ->allow_extra_args(false);
    add_format_option(app, o->format);
    app.add_option("--rows", o->rows,
                   "Rows of a table at most, 0 for all; JSON and CSV are complete")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str();
    app.add_option("-o,--output", o->output, "Write there instead of to standard output");
    app.add_flag("-f,--force", o->force, "Replace the output file if it exists");
    return [o] { return analyze_command(*o); };
  };
  registry.add(std::move(command));
}

}  // namespace mansard
