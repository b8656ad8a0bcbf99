// SPDX-License-Identifier: Apache-2.0
#include "reports/report.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>

#include <CLI/CLI.hpp>

#include "analyzer/activity.h"
#include "analyzer/classify/kernel_rules.h"
#include "analyzer/steps/step_times.h"
#include "cli/command.h"
#include "cli/format_option.h"
#include "cli/input_guard.h"
#include "cli/output.h"
#include "cli/report_command.h"
#include "cli/write_file.h"
#include "collector/launch/launch.h"
#include "kernels/device_info.h"
#include "reports/comparison_part.h"
#include "reports/report_figure.h"
#include "support/text.h"

namespace mansard::cli {
namespace {

struct ReportOptions {
  std::vector<std::string> profiles;
  std::string baseline;
  std::vector<std::string> machines;
  std::string rules;
  std::string step_range;
  std::string format = "html";
  std::string figure;  // for --format svg
  std::string output;  // empty: report.html, or standard output for text formats
  std::string title;
  bool force = false;
  bool by_date = false;  // the profiles of a folder are sorted by their dates
};

// Returns true if this machine has a device of the profile, so that it can be characterized here.
bool ran_on_a_device_of_this_machine(const store::Profile& profile) {
  if (!analysis::has_device_activity(profile))
    return kernels::host_device().name == profile.session.cpu_name;
  const std::vector<kernels::DeviceInfo> here = kernels::cuda_devices();
  return std::ranges::any_of(profile.gpus, [&](const store::GpuRecord& gpu) {
    return std::ranges::find(here, gpu.name, &kernels::DeviceInfo::name) != here.end();
  });
}

// Returns true if a profile is compared with datasheet peaks, but its device is available here.
bool could_measure_machine(const reports::ReportInput& input) {
  return std::ranges::any_of(input.runs, [](const analysis::RunAnalysis& run) {
    const bool measured =
        run.machine && run.machine_provenance.origin == roofline::Origin::measured;
    return !measured && !run.rows.empty() && ran_on_a_device_of_this_machine(run.profile);
  });
}

bool same_file(const std::string& a, const std::string& b) {
  std::error_code missing;
  return a == b || std::filesystem::equivalent(a, b, missing);
}

// Returns each profile once, with the baseline first, whether or not it is also listed.
std::vector<std::string> files_of(const ReportOptions& o) {
  std::vector<std::string> files;
  if (!o.baseline.empty()) files.push_back(o.baseline);
  for (const std::string& file : o.profiles) {
    const bool known = std::ranges::any_of(
        files, [&](const std::string& other) { return same_file(file, other); });
    if (!known) files.push_back(file);
  }
  if (!o.baseline.empty() && files.size() < 2) {
    throw UsageError("--baseline " + o.baseline + ": name a profile to compare with it");
  }
  return files;
}

// Replaces each folder by the profiles in it.
std::vector<std::string> without_folders(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    if (!std::filesystem::is_directory(path)) {
      files.push_back(path);
      continue;
    }
    std::vector<std::string> own;
    for (const auto& entry : std::filesystem::directory_iterator(path)) {
      if (entry.path().extension() == ".sqlite") own.push_back(entry.path().string());
    }
    if (own.empty()) throw UsageError(path + " is a folder without profiles (*.sqlite)");
    std::ranges::sort(own);
    files.insert(files.end(), own.begin(), own.end());
  }
  return files;
}

// `rules` must outlive the result; nullptr: only the built-in rules.
reports::ReportInput input_of(const ReportOptions& o, const std::vector<std::string>& files,
                              const analysis::KernelRules* rules) {
  const analysis::AnalysisOptions analysis{.rules = rules, .step_range = o.step_range};
  reports::ReportInput input;
  input.title = o.title;
  input.command = invocation();
  for (const std::string& file : o.machines)
    input.machines.push_back(roofline::load_machine_model(file));
  for (const std::string& file : files) {
    input.runs.push_back(
        analysis::analyze_run(store::load_profile(file), input.machines, analysis));
    for (const std::string& note : input.runs.back().notes) say(file + ": " + note);
    // The page omits steps that are not found; with --step-range that is an error.
    if (!o.step_range.empty()) analysis::named_step_times(input.runs.back());
  }
  if (o.by_date) {
    // The baseline stays first.
    std::stable_sort(input.runs.begin() + (o.baseline.empty() ? 0 : 1), input.runs.end(),
                     [](const analysis::RunAnalysis& a, const analysis::RunAnalysis& b) {
                       return a.profile.session.start_utc_ns < b.profile.session.start_utc_ns;
                     });
  }
  if (o.baseline.empty()) return input;
  for (std::size_t i = 1; i < input.runs.size(); ++i) {
    input.parts.push_back(reports::comparison_part(input.runs.front(), input.runs[i]));
    for (const std::string& note : input.parts.back().notes) say(note);
  }
  return input;
}

std::string figure_of(const reports::ReportInput& input, const std::string& name) {
  try {
    return reports::report_figure(input, name);
  } catch (const std::invalid_argument& error) {
    throw UsageError(std::string("--figure: ") + error.what());
  }
}

int report_command(ReportOptions o) {
  if (o.profiles.empty() && o.baseline.empty() && o.machines.empty()) {
    throw UsageError(
        "nothing to report: name a profile (from 'mansard profile'), or a machine model with "
        "--machine (from 'mansard characterize')");
  }
  if (!o.figure.empty() && o.format != "svg") {
    throw UsageError("--figure " + o.figure +
                     " needs --format svg; it does not apply to --format " + o.format);
  }
  const std::vector<std::string> files_in_folders = without_folders(o.profiles);
  o.by_date = files_in_folders != o.profiles;
  o.profiles = files_in_folders;
  const bool page = o.format == "html";
  if (page && o.output.empty()) o.output = "report.html";
  const std::vector<std::string> files = files_of(o);
  require_no_input(o.output, {{"one of the profiles", o.profiles},
                              {"the --baseline profile", {o.baseline}},
                              {"the --machine model", o.machines},
                              {"the --rules file", {o.rules}}});
  if (!o.output.empty()) require_writable(o.output, o.force);
  std::optional<analysis::KernelRules> rules;
  if (!o.rules.empty()) rules = analysis::load_kernel_rules(o.rules);
  const reports::ReportInput input = input_of(o, files, rules ? &*rules : nullptr);
  reports::RenderOptions options = render_options();
  if (!o.output.empty()) options.width = reports::RenderOptions().width;
  std::string text;
  if (page) {
    text = reports::render_html(input);
  } else if (o.format == "svg") {
    text = figure_of(input, o.figure.empty() ? "roofline" : o.figure);
  } else {
    text = reports::render(reports::report_findings(input),
                           format_of(o.format == "txt" ? "table" : o.format), options);
  }
  if (o.output.empty()) {
    std::cout << text;
  } else {
    write_file(o.output, text, o.force);
    if (!is_standard_output(o.output)) std::cout << o.output << '\n';
  }
  if (could_measure_machine(input)) {
    suggest_next("mansard characterize -o machine.json");
  } else if (page) {
    suggest_next("xdg-open " + join_command({o.output}));
  } else {
    suggest_next(to_text({.profiles = o.profiles,
                          .baseline = o.baseline,
                          .machines = o.machines,
                          .rules = o.rules,
                          .step_range = o.step_range,
                          .title = o.title}));
  }
  return exit_ok;
}

}  // namespace

void register_report(CommandRegistry& registry) {
  Command command;
  command.name = "report";
  command.summary =
      "Write an HTML report of profiles, comparisons and machine models (or SVG, text)";
  command.order = 40;
  command.declare = [](CLI::App& app) -> std::function<int()> {
    auto o = std::make_shared<ReportOptions>();
    app.add_option(
        "profiles", o->profiles,
        "Profiles to show (SQLite; Nsight Systems exports work too), or folders of them, "
        "which are sorted by date");
    app.add_option(
        "--baseline", o->baseline,
        "Compare every other profile with this one: where speed-up is lost, and what changed "
        "kernel by kernel");
    app.add_option(
           "-m,--machine", o->machines,
           "Machine model from 'mansard characterize' to show, and to use for profiles of its "
           "devices; repeatable. Default: datasheet peaks")
        ->allow_extra_args(false);
    app.add_option(
        "--rules", o->rules,
        "File of kernel classification rules that take precedence over the built-in ones");
    app.add_option("--step-range", o->step_range,
                   "Name prefix of the NVTX ranges that are steps. Default: ranges named as steps "
                   "by the program "
                   "or its framework; without any, launches that repeat");
    app.add_option("--format", o->format,
                   "html: a self-contained page; svg: one of its figures (--figure); others: the "
                   "results as "
                   "text")
        ->check(CLI::IsMember({"html", "svg", "txt", "md", "json", "csv"}))
        ->capture_default_str();
    app.add_option(
        "--figure", o->figure,
        "Figure for --format svg: roofline, time-plane, complexity-plane, timeline, ledger, "
        "steps, comparison, ...; an unknown name lists all. Default: roofline");
    app.add_option("-o,--output", o->output,
                   "Output file. Default: report.html; for text formats and svg, standard output");
    app.add_option("--title", o->title, "Page title. Default: the profile's name");
    app.add_flag("-f,--force", o->force, "Replace the output file if it exists");
    return [o] { return report_command(*o); };
  };
  command.reads_files = true;
  registry.add(std::move(command));
}

}  // namespace mansard::cli
