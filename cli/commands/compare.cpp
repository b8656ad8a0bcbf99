// SPDX-License-Identifier: Apache-2.0
// Two machine models, or two recordings: what the files are decides.
#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include <stdexcept>

#include <CLI/CLI.hpp>

#include "cli/command.h"
#include "cli/compare_machines.h"
#include "cli/compare_profiles.h"
#include "cli/format_option.h"
#include "cli/number_checks.h"
#include "support/files.h"

namespace mansard::cli {
namespace {

struct Options {
  CompareMachinesOptions machines;
  CompareRunsOptions runs;
  // What only one of the two takes, as typed.
  CLI::App* app = nullptr;
};

constexpr const char* kOfMachines[] = {"--gate", "--at-clock"};
constexpr const char* kOfRuns[] = {
    "--step-range",      "--rules", "--fail-above", "--fail-above-span", "--fail-above-kernel",
    "--fail-above-class", "--rows"};

// Anything else is left to the reader of machine models, which says what is wrong with it.
bool is_recording(const std::string& file) {
  constexpr std::string_view kMagic("SQLite format 3\0", 16);
  std::string head(kMagic.size(), '\0');
  require_input_file(file, file);
  std::ifstream in(file, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + file + ": " + std::strerror(errno));
  in.read(head.data(), static_cast<std::streamsize>(head.size()));
  return in && head == kMagic;
}

template <std::size_t N>
void refuse(const CLI::App& app, const char* const (&options)[N], const std::string& are) {
  for (const char* option : options) {
    if (app.count(option) == 0) continue;
    throw UsageError(std::string(option) + " does not go with these files: both are " + are);
  }
}

int compare_command(const Options& o) {
  const bool a = is_recording(o.runs.baseline);
  const bool b = is_recording(o.runs.candidate);
  if (a != b) {
    throw UsageError("a recording cannot be compared with a machine model: " +
                     (a ? o.runs.baseline : o.runs.candidate) + " is a recording, " +
                     (a ? o.runs.candidate : o.runs.baseline) +
                     " is none. To hold a recording against a machine: 'mansard analyze'");
  }
  if (a) {
    refuse(*o.app, kOfMachines, "recordings");
    return compare_runs_command(o.runs);
  }
  refuse(*o.app, kOfRuns, "machine models");
  return compare_machines(o.machines);
}

void declare_machine_options(CLI::App& app, CompareMachinesOptions& o) {
  app.add_option("--gate", o.gate_percent,
                 "Machines: exit 3 when a ceiling differs by more than this many per cent")
      ->check(zero_or_more());
  app.add_flag("--at-clock", o.at_clock,
               "Machines: let the gate judge fractions of theory at the clock seen, where they are "
               "known")
      ->needs("--gate");
}

void declare_run_options(CLI::App& app, CompareRunsOptions& o) {
  app.add_option("--step-range", o.step_range,
                 "Recordings: compare per step; steps are the NVTX ranges whose names begin so. "
                 "Default: of the ranges with a word that ends in 'step' or is 'iteration' or "
                 "'iter', the kind that both runs have and that covers the most time");
  app.add_option("--rules", o.rules,
                 "Recordings: classification rules, looked at before the built-in ones");
  // By functions: an empty text is a mistake, and must not pass for an option that is not there.
  const auto limit = [&app](const char* name, std::optional<std::string>& to, const char* help) {
    app.add_option_function<std::string>(
        name, [&to](const std::string& text) { to = text; }, help);
  };
  limit("--fail-above", o.fail_above,
        "Recordings: exit 3 when the device was busy for longer by more than so many per cent");
  limit("--fail-above-span", o.fail_above_span,
        "Recordings: likewise for the span of the run, or the time from step to step");
  limit("--fail-above-kernel", o.fail_above_kernel,
        "Recordings: likewise for any kernel that takes 1 % of the kernel time or more");
  app.add_option("--fail-above-class", o.fail_above_class,
                 "Recordings: likewise for every such class ('5%') or for one ('gemm=5%'); may be "
                 "given again")
      ->allow_extra_args(false);
  app.add_option("--rows", o.rows,
                 "Recordings: rows of a table at most, 0 for all; JSON and CSV are complete")
      ->check(zero_or_more())
      ->capture_default_str();
}

}  // namespace

void register_compare(CommandRegistry& registry) {
  Command command;
  command.name = "compare";
  command.summary = "Compare two recordings of a program, or two machine models";
  command.order = 35;
  command.declare = [](CLI::App& app) -> std::function<int()> {
    auto o = std::make_shared<Options>();
    o->app = &app;
    app.add_option("baseline", o->runs.baseline,
                   "Recording by 'mansard profile', or machine model by 'mansard characterize'")
        ->required();
    app.add_option("candidate", o->runs.candidate, "The one of that kind held against it")
        ->required();
    declare_run_options(app, o->runs);
    declare_machine_options(app, o->machines);
    add_format_option(app, o->runs.format);
    return [o] {
      o->machines.baseline = o->runs.baseline;
      o->machines.candidate = o->runs.candidate;
      o->machines.format = o->runs.format;
      return compare_command(*o);
    };
  };
  command.reads_files = true;
  registry.add(std::move(command));
}

}  // namespace mansard::cli
