// SPDX-License-Identifier: Apache-2.0
#include "empirical_roofline/characterize.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/format_option.h"
#include "cli/number_checks.h"
#include "cli/output.h"
#include "cli/progress_bar.h"
#include "cli/progress_lines.h"
#include "cli/stop_signals.h"
#include "cli/write_file.h"
#include "collector/launch/launch.h"
#include "reports/formats/machine_table.h"
#include "reports/formats/overview.h"
#include "support/text.h"

namespace mansard::cli {
namespace {

struct CharacterizeOptions {
  std::string output;
  bool force = false;
  bool resume = false;
  bool quick = false;
  bool full = false;
  std::string device = "all";
  std::vector<std::string> only;
  bool all = false;
  std::string format = "table";
  std::string progress = "bar";
  // Values that the user set; unset ones come from the chosen plan.
  std::vector<std::string> patterns;
  std::optional<int> campaigns;
  std::optional<double> sustained_s;
  std::optional<double> max_time_s;
  std::optional<double> min_time_s;
  std::optional<double> uncertainty;
  std::optional<int> min_samples;
  std::optional<double> rest;
};

// Thrown from the progress callback, so that finished measurements are saved before exit.
struct Interrupted {};

std::vector<std::string> ceiling_names() {
  std::vector<std::string> names;
  for (const kernels::KernelSpec& spec : kernels::kernel_registry().all()) {
    if (spec.role != kernels::KernelRole::operation) names.push_back(spec.name);
  }
  return names;
}

void require_known(const std::vector<std::string>& names) {
  const std::vector<std::string> known = ceiling_names();
  for (const std::string& name : names) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      throw UsageError("unknown ceiling '" + name + "'." + did_you_mean(name, known) +
                       " 'mansard list ceilings' lists all.");
    }
  }
}

template <typename T>
void set_if_given(T& field, const std::optional<T>& given) {
  if (given) field = *given;
}

roofline::CharacterizeOptions to_library_options(const CharacterizeOptions& o) {
  require_known(o.only);
  roofline::CharacterizeOptions options;
  options.cuda = o.device != "cpu";
  options.host = o.device != "gpu";
  options.command = invocation();
  roofline::PlanOptions& plan = options.plan;
  plan = o.quick  ? roofline::quick_plan()
         : o.full ? roofline::full_plan()
                  : roofline::default_plan();
  plan.only = o.only;
  if (!o.patterns.empty()) plan.patterns.clear();
  for (const std::string& key : o.patterns)
    plan.patterns.push_back(*kernels::parse_data_pattern(key));
  set_if_given(plan.campaigns, o.campaigns);
  set_if_given(plan.sustained_s, o.sustained_s);
  roofline::StoppingRule& stop = plan.measure.stop;
  set_if_given(stop.max_time_s, o.max_time_s);
  set_if_given(stop.min_time_s, o.min_time_s);
  set_if_given(stop.min_samples, o.min_samples);
  set_if_given(stop.max_uncertainty, o.uncertainty);
  set_if_given(plan.measure.rest, o.rest);
  return options;
}

// Holds the results of an unfinished run, next to its output file.
std::filesystem::path journal_file(const CharacterizeOptions& o) { return o.output + ".partial"; }

std::unique_ptr<roofline::Journal> open_journal(const CharacterizeOptions& o,
                                                const roofline::CharacterizeOptions& options) {
  if (o.output.empty()) return nullptr;
  const std::filesystem::path file = journal_file(o);
  if (std::filesystem::exists(file) && !o.resume && !o.force) {
    throw std::runtime_error("'" + file.string() +
                             "' holds the results of an interrupted run; pass --resume to continue "
                             "it, or -f to start over");
  }
  auto journal =
      std::make_unique<roofline::Journal>(file, roofline::settings_of(options), o.resume);
  if (journal->size() > 0) {
    say("resuming with " + std::to_string(journal->size()) + " finished measurements");
  }
  return journal;
}

void write_progress(const roofline::Progress& p) {
  write_progress_line(
      {{"done", p.done},
       {"total", p.total},
       {"left_s", p.left_s < 0 ? nlohmann::json() : nlohmann::json(std::round(p.left_s))},
       {"device", p.device},
       {"ceiling", p.kernel}});
}

roofline::Characterization characterize_visibly(const roofline::CharacterizeOptions& options,
                                                bool as_json) {
  const StopSignals signals;
  ProgressBar bar;
  return roofline::characterize(options, [&](const roofline::Progress& p) {
    if (StopSignals::received() != 0) throw Interrupted{};
    if (as_json) {
      write_progress(p);
    } else {
      bar.update(p.done, p.total, p.left_s, p.device + ": " + p.kernel);
    }
  });
}

int characterize_command(const CharacterizeOptions& o) {
  roofline::CharacterizeOptions options = to_library_options(o);
  if (!o.output.empty()) require_writable(o.output, o.force, OutputKind::database);
  if (o.device == "gpu" && kernels::cuda_devices().empty()) {
    throw std::runtime_error("cannot characterize a GPU: " + kernels::cuda_unavailable_reason());
  }
  const std::unique_ptr<roofline::Journal> journal = open_journal(o, options);
  options.journal = journal.get();
  roofline::Characterization result;
  try {
    result = characterize_visibly(options, o.progress == "json");
  } catch (const Interrupted&) {
    say(journal == nullptr ? "interrupted; finished measurements are kept only with -o"
                           : "interrupted; " + std::to_string(journal->size()) +
                                 " finished measurements are in " + journal_file(o).string());
    if (journal != nullptr) suggest_next(invocation() + (o.resume ? "" : " --resume"));
    return 128 + StopSignals::received();
  }
  for (const std::string& line : result.skipped) say("skipped " + line);
  for (const std::string& line : result.warnings) say(line);
  bool measured_any = false;
  for (const roofline::DeviceModel& d : result.model.devices) measured_any |= !d.ceilings.empty();
  if (!measured_any) {
    throw std::runtime_error("no ceiling could be measured; see the messages above");
  }
  const reports::Format format = format_of(o.format);
  const bool brief = prints_overview(format, o.all);
  analysis::Finding finding = reports::machine_finding(result.model);
  if (brief) finding = reports::machine_overview(finding);
  reports::RenderOptions render = render_options();
  if (brief) fit_overview(render);
  std::cout << reports::render({finding}, format, render);
  if (brief) say("--all prints all ceilings: every kernel, data pattern and regime");
  if (o.output.empty()) {
    suggest_next(
        "mansard characterize -o machine.json    (measure again and save the machine model)");
  } else {
    write_file(o.output, roofline::to_json(result.model), o.force);
    journal->remove();
    say("wrote " + o.output);
    if (o.progress == "json") write_result_line(o.output);
    suggest_next(
        "mansard profile -o run.sqlite -- PROGRAM && mansard report run.sqlite --machine " +
        join_command({o.output}) + " -o report.html");
  }
  return exit_ok;
}

}  // namespace

void register_characterize(CommandRegistry& registry) {
  Command command;
  command.name = "characterize";
  command.summary = "Measure this machine's compute, memory and launch ceilings";
  command.order = 10;
  command.declare = [](CLI::App& app) -> std::function<int()> {
    auto o = std::make_shared<CharacterizeOptions>();
    app.add_option("-o,--output", o->output, "Write the machine model to this file (JSON)");
    app.add_flag("-f,--force", o->force, "Replace the output file if it exists");
    app.add_flag("--resume", o->resume, "Continue an interrupted run with the same output file")
        ->needs("-o");
    app.add_option("--device", o->device, "Devices to measure")
        ->check(CLI::IsMember({"all", "gpu", "cpu"}))
        ->capture_default_str();
    app.add_option("--only", o->only,
                   "Measure only these ceilings, comma-separated (see 'mansard list ceilings')")
        ->delimiter(',');
    CLI::Option* quick = app.add_flag(
        "--quick", o->quick,
        "One short campaign per ceiling, no working-set sweeps: takes seconds, not minutes");
    app.add_flag("--full", o->full,
                 "All data patterns, plus sustained runs of the power-limited kernels")
        ->excludes(quick);
    app.add_option("--pattern", o->patterns,
                   "Operand data of the GPU compute kernels, which affects power and so the clock "
                   "[default: random_normal; --full: all three]")
        ->check(CLI::IsMember({"zeros", "random_uniform", "random_normal"}))
        ->delimiter(',');
    app.add_option(
           "--sustained", o->sustained_s,
           "Seconds of continuous load per sustained ceiling, measured at the settled clock; "
           "0: bursts only [default: 0; --full: 5]")
        ->check(zero_or_more());
    app.add_option(
           "--campaigns", o->campaigns,
           "Rounds over all ceilings, each measured once per round [default: 3; --quick: 1]")
        ->check(CLI::Range(1, 1000));
    app.add_option("--min-samples", o->min_samples,
                   "Minimum samples per campaign [default: 8; --quick: 6]")
        ->check(CLI::Range(1, 100000));
    app.add_option("--min-time", o->min_time_s,
                   "Minimum seconds of timed work per campaign [default: 0.08; --quick: 0.03]")
        ->check(zero_or_more());
    app.add_option(
           "--max-time", o->max_time_s,
           "Maximum seconds of timed work per campaign, even if --uncertainty is not reached "
           "[default: 0.3; --quick: 0.12]")
        ->check(above_zero());
    app.add_option("--uncertainty", o->uncertainty,
                   "Stop a campaign when the relative half width of the median's 95 % confidence "
                   "interval is at most this [default: 0.002; --quick: 0.01]")
        ->check(above_zero());
    app.add_option(
           "--rest", o->rest,
           "Idle time after each burst of a power-limited kernel, as a multiple of its duration "
           "[default: 1]")
        ->check(CLI::Range(0.0, 1000.0));
    app.add_option(
           "--progress", o->progress,
           "Progress on stderr: bar (only on a terminal), or json (one JSON object per line, for "
           "programs)")
        ->check(CLI::IsMember({"bar", "json"}))
        ->capture_default_str();
    app.add_flag(
        "--all", o->all,
        "Print all ceilings. Default: those that bound runs; formats other than table, and "
        "the machine model, always have everything");
    add_format_option(app, o->format);
    return [o] { return characterize_command(*o); };
  };
  registry.add(std::move(command));
}

}  // namespace mansard::cli
