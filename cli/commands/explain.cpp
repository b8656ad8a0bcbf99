// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <stdexcept>

#include <CLI/CLI.hpp>

#include "analyzer/explain/ledger.h"
#include "cli/command.h"
#include "cli/format_option.h"
#include "cli/input_guard.h"
#include "cli/number_checks.h"
#include "cli/output.h"
#include "cli/print_findings.h"
#include "cli/write_file.h"
#include "collector/launch/launch.h"
#include "reports/formats/overview.h"
#include "support/text.h"

namespace mansard::cli {
namespace {

struct ExplainOptions {
  std::string run;
  std::string baseline;
  std::string candidate;
  std::vector<std::string> machines;
  std::string step_range;
  analysis::ExplainOptions explain;
  std::string format = "table";
  int rows = 8;
  bool all = false;
  std::string output;
  bool force = false;
};

analysis::Finding explain_one(const ExplainOptions& o,
                              const std::vector<roofline::MachineModel>& machines) {
  const analysis::RunAnalysis run =
      analysis::analyze_run(store::load_profile(o.run), machines, {.step_range = o.step_range});
  return analysis::ledger_finding(analysis::explain_run(run), "A step of " + run.title,
                                  static_cast<std::size_t>(o.rows));
}

analysis::Finding explain_two(const ExplainOptions& o,
                              const std::vector<roofline::MachineModel>& machines) {
  const analysis::AnalysisOptions analysis{.step_range = o.step_range};
  const analysis::RunAnalysis baseline =
      analysis::analyze_run(store::load_profile(o.baseline), machines, analysis);
  const analysis::RunAnalysis candidate =
      analysis::analyze_run(store::load_profile(o.candidate), machines, analysis);
  return analysis::ledger_finding(analysis::explain_gap(baseline, candidate, o.explain),
                                  candidate.title + " against " + baseline.title,
                                  static_cast<std::size_t>(o.rows));
}

std::string steps_command(const ExplainOptions& o) {
  std::vector<std::string> words = {"mansard", "analyze", o.run.empty() ? o.candidate : o.run,
                                    "--analysis", "steps"};
  for (const std::string& machine : o.machines) words.insert(words.end(), {"--machine", machine});
  if (!o.step_range.empty()) {
    words.insert(words.end(), {"--step-range", o.step_range});
  }
  return join_command(words);
}

int explain_command(const ExplainOptions& o) {
  const bool single = !o.run.empty();
  if (single == !o.baseline.empty() || o.baseline.empty() != o.candidate.empty()) {
    throw UsageError(
        "give one profile to compare with its SOL time, or two with --baseline and "
        "--candidate");
  }
  if (single && o.explain.ceiling_ratio) {
    throw UsageError(
        "--ceiling-ratio applies to two profiles, given with --baseline and --candidate; a single "
        "profile is compared with its SOL time");
  }
  require_no_input(o.output, {{"the profile itself", {o.run}},
                              {"the --baseline profile", {o.baseline}},
                              {"the --candidate profile", {o.candidate}},
                              {"the --machine model", o.machines}});
  if (!o.output.empty()) require_writable(o.output, o.force);
  std::vector<roofline::MachineModel> machines;
  for (const std::string& file : o.machines) machines.push_back(roofline::load_machine_model(file));
  const analysis::Finding finding = single ? explain_one(o, machines) : explain_two(o, machines);
  const reports::Format format = format_of(o.format);
  const bool brief = prints_overview(format, o.all);
  print_findings({brief ? reports::ledger_overview(finding) : finding}, format,
                 {o.output, o.force, 0, brief});
  if (brief) say("--all prints all lines, and the kernels of each");
  suggest_next(steps_command(o));
  return exit_ok;
}

}  // namespace

void register_explain(CommandRegistry& registry) {
  Command command;
  command.name = "explain";
  command.summary =
      "Break down a step's time above SOL, or the speed-up lost between two precisions";
  command.order = 32;
  command.declare = [](CLI::App& app) -> std::function<int()> {
    auto o = std::make_shared<ExplainOptions>();
    app.add_option("profile", o->run, "Profile to compare with its SOL time");
    app.add_option("--baseline", o->baseline, "Profile in the higher precision");
    app.add_option("--candidate", o->candidate, "Profile of the same work in the lower precision");
    app.add_option(
           "-m,--machine", o->machines,
           "Machine model from 'mansard characterize'; repeatable: the one that matches the "
           "profiles' device is used. Default: datasheet peaks")
        ->allow_extra_args(false);
    app.add_option("--step-range", o->step_range,
                   "Name prefix of the NVTX ranges that are steps. Default: ranges named as steps "
                   "by the program "
                   "or its framework; without any, launches that repeat");
    app.add_option("--ceiling-ratio", o->explain.ceiling_ratio,
                   "Two profiles: ratio of ceilings R to use instead of that of the machine models")
        ->check(above_zero());
    app.add_flag("--all", o->all,
                 "Print all lines with their kernels, as does --rows. Default: one screen; formats "
                 "other than table "
                 "always have everything");
    app.add_option("--rows", o->rows, "Maximum kernels to list per line of the breakdown")
        ->check(zero_or_more())
        ->capture_default_str();
    add_format_option(app, o->format);
    app.add_option("-o,--output", o->output, "Write to this file instead of standard output");
    app.add_flag("-f,--force", o->force, "Replace the output file if it exists");
    return [o, &app] {
      o->all = o->all || app.count("--rows") > 0;  // the overview has no such limit
      return explain_command(*o);
    };
  };
  command.reads_files = true;
  registry.add(std::move(command));
}

}  // namespace mansard::cli
