// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <optional>

#include <CLI/CLI.hpp>

#include "analyzer/classify/kernel_rules.h"
#include "analyzer/numerics/training_curve.h"
#include "analyzer/run_analysis.h"
#include "analyzer/what_if.h"
#include "cli/analyze_ranks.h"
#include "cli/command.h"
#include "cli/format_option.h"
#include "cli/input_guard.h"
#include "cli/number_checks.h"
#include "cli/output.h"
#include "cli/print_findings.h"
#include "cli/report_command.h"
#include "cli/write_file.h"
#include "reports/formats/notes.h"
#include "reports/formats/overview.h"

namespace mansard::cli {
namespace {

struct AnalyzeOptions {
  std::vector<std::string> files;
  std::string profile;  // the only one of `files`
  std::string summaries;
  bool merge = false;
  int jobs = 0;
  std::vector<std::string> machines;
  std::vector<std::string> analyses;
  std::string rules;
  std::string step_range;
  double tokens_per_step = 0;
  std::vector<std::string> what_if;
  std::string format = "table";
  bool all = false;
  int rows = 20;
  std::string output;
  bool force = false;
};

std::vector<const analysis::AnalysisSpec*> chosen_analyses(const std::vector<std::string>& names) {
  std::vector<const analysis::AnalysisSpec*> chosen;
  if (names.empty()) {
    for (const analysis::AnalysisSpec& spec : analysis::analysis_registry().all())
      chosen.push_back(&spec);
    return chosen;
  }
  for (const std::string& name : names) {
    const analysis::AnalysisSpec* spec = analysis::analysis_registry().find(name);
    if (spec == nullptr) {
      std::vector<std::string> known;
      for (const analysis::AnalysisSpec& other : analysis::analysis_registry().all())
        known.push_back(other.name);
      throw UsageError("unknown analysis '" + name + "'." + did_you_mean(name, known) +
                       " 'mansard list analyses' lists all.");
    }
    chosen.push_back(spec);
  }
  return chosen;
}

std::vector<roofline::MachineModel> load_machines(const std::vector<std::string>& files) {
  std::vector<roofline::MachineModel> machines;
  for (const std::string& file : files) machines.push_back(roofline::load_machine_model(file));
  return machines;
}

analysis::WhatIf parsed_what_if(const std::string& text) {
  try {
    return analysis::parse_what_if(text);
  } catch (const std::invalid_argument& error) {
    throw UsageError(error.what());
  }
}

// Otherwise the last one would win silently.
void require_one_of_each(const std::vector<analysis::WhatIf>& changes) {
  const std::string& last = changes.back().target;
  if (std::ranges::count(changes, last, &analysis::WhatIf::target) > 1) {
    throw UsageError("--what-if '" + last + "' is given more than once; give each target once");
  }
}

// Options of the analysis of one profile do not apply to the comparison of ranks.
void require_options_of_ranks(const AnalyzeOptions& o) {
  const auto refuse = [](bool given, const char* option) {
    if (given) {
      throw UsageError(std::string(option) +
                       " needs a single profile; several profiles are compared as the ranks of a "
                       "job");
    }
  };
  refuse(!o.machines.empty(), "--machine");
  refuse(!o.analyses.empty(), "--analysis");
  refuse(!o.what_if.empty(), "--what-if");
  refuse(o.tokens_per_step > 0, "--tokens-per-step");
}

int analyze_profile(const AnalyzeOptions& o) {
  const std::vector<const analysis::AnalysisSpec*> analyses = chosen_analyses(o.analyses);
  require_no_input(o.output, {{"the profile itself", {o.profile}},
                              {"the --machine model", o.machines},
                              {"the --rules file", {o.rules}}});
  if (!o.output.empty()) require_writable(o.output, o.force);
  const std::vector<roofline::MachineModel> machines = load_machines(o.machines);
  std::vector<analysis::WhatIf> what_if;
  for (const std::string& text : o.what_if) {
    what_if.push_back(parsed_what_if(text));
    require_one_of_each(what_if);
  }
  std::optional<analysis::KernelRules> rules;
  analysis::AnalysisOptions analysis_options{nullptr, o.step_range, o.tokens_per_step};
  if (!o.rules.empty())
    analysis_options.rules = &rules.emplace(analysis::load_kernel_rules(o.rules));
  const analysis::RunAnalysis run =
      analysis::analyze_run(store::load_profile(o.profile), machines, analysis_options);

  const reports::Format format = format_of(o.format);
  const bool brief = prints_overview(format, o.all) && o.analyses.empty() && what_if.empty() &&
                     !analysis::is_training_record(run);
  std::vector<analysis::Finding> findings;
  if (brief) findings.push_back(reports::overview(run));
  // With --what-if and without --analysis, print only the what-if result.
  if (!what_if.empty()) findings.push_back(analysis::what_if_finding(run, what_if));
  if (!brief && (what_if.empty() || !o.analyses.empty())) {
    for (const analysis::AnalysisSpec* spec : analyses) {
      if (o.analyses.empty() && !analysis::applies(*spec, run)) continue;
      findings.push_back(spec->run(run));
    }
  }
  if (!brief && !run.notes.empty()) findings.push_back(reports::notes_finding(run.notes));
  print_findings(findings, format, {o.output, o.force, o.rows, brief});
  if (brief) say("--all prints all tables and notes, --analysis NAME those of one analysis");
  suggest_next(to_text({.profiles = {o.profile},
                        .machines = o.machines,
                        .rules = o.rules,
                        .step_range = o.step_range}));
  return exit_ok;
}

int analyze_command(AnalyzeOptions& o) {
  const std::vector<std::filesystem::path> files = expand_files(o.files);
  if (!o.summaries.empty() || are_ranks(files)) {
    require_options_of_ranks(o);
    return analyze_ranks_command({.files = files,
                                  .rules = o.rules,
                                  .step_range = o.step_range,
                                  .summaries = o.summaries,
                                  .merge = o.merge,
                                  .jobs = o.jobs,
                                  .format = o.format,
                                  .all = o.all,
                                  .rows = o.rows,
                                  .output = o.output,
                                  .force = o.force});
  }
  o.profile = files.front().string();
  return analyze_profile(o);
}

}  // namespace

void register_analyze(CommandRegistry& registry) {
  Command command;
  command.name = "analyze";
  command.summary =
      "Show where a profile's time goes, and how it compares with speed of light (SOL)";
  command.order = 30;
  command.declare = [](CLI::App& app) -> std::function<int()> {
    auto o = std::make_shared<AnalyzeOptions>();
    app.add_option("profile", o->files,
                   "Profile to analyze (SQLite; Nsight Systems exports work too); several, or a "
                   "quoted pattern such as 'run-*.sqlite': the ranks of a job, compared")
        ->required();
    app.add_option(
           "-m,--machine", o->machines,
           "Machine model from 'mansard characterize'; repeatable: the one that matches the "
           "profile's device is used. Default: datasheet peaks")
        ->allow_extra_args(false);
    app.add_option("--analysis", o->analyses,
                   "Run only these analyses, comma-separated (see 'mansard list analyses')")
        ->delimiter(',')
        ->allow_extra_args(false);
    app.add_flag("--all", o->all,
                 "Print all tables and notes, as does --rows. Default: one screen with the "
                 "step, what to change first, the largest causes and kernels; formats other than "
                 "table always have everything")
        ->excludes("--analysis");
    app.add_option(
        "--rules", o->rules,
        "File of kernel classification rules that take precedence over the built-in ones");
    app.add_option(
           "--what-if", o->what_if,
           "Estimate the run time if a kernel or class were faster: CLASS=sol (at SOL), KERNEL=2x "
           "(twice as fast), KERNEL=0 (removed); repeatable")
        ->allow_extra_args(false);
    app.add_option(
        "--step-range", o->step_range,
        "Name prefix of the NVTX ranges that are steps (steps, ranks, energy per step). Default: "
        "ranges named as steps by the program or its framework; without any, launches that repeat");
    app.add_option("--tokens-per-step", o->tokens_per_step,
                   "Tokens per step, to report energy per token")
        ->check(above_zero());
    app.add_option("--summaries", o->summaries,
                   "Several profiles: write a small summary of each to this folder, and reuse "
                   "those that exist. As one of several tasks of srun, mpirun or torchrun, "
                   "summarize this task's share of the profiles, and print no result")
        ->type_name("FOLDER");
    app.add_flag("--merge", o->merge,
                 "With --summaries: print the result for all profiles, also as one of several "
                 "tasks")
        ->needs("--summaries");
    app.add_option("--jobs", o->jobs,
                   "Several profiles: how many to analyze at a time. Default: one per processor; "
                   "memory grows with it")
        ->check(CLI::PositiveNumber);
    add_format_option(app, o->format);
    app.add_option("--rows", o->rows,
                   "Maximum rows per table (0: all); JSON and CSV always have all rows")
        ->check(zero_or_more())
        ->capture_default_str();
    app.add_option("-o,--output", o->output, "Write to this file instead of standard output");
    app.add_flag("-f,--force", o->force, "Replace the output file if it exists");
    return [o, &app] {
      o->all = o->all || app.count("--rows") > 0;  // the overview has no such limit
      return analyze_command(*o);
    };
  };
  command.reads_files = true;
  registry.add(std::move(command));
}

}  // namespace mansard::cli
