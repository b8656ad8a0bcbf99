// SPDX-License-Identifier: Apache-2.0
// `mansard compare`: two machine models or two profiles, decided by the content of the files.
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

struct CompareOptions {
  CompareMachinesOptions machines;
  CompareRunsOptions runs;
  // To find options given on the command line that do not apply to these files.
  CLI::App* app = nullptr;
};

constexpr const char* kMachineModelOptions[] = {"--gate", "--at-equal-clock"};
constexpr const char* kProfileOptions[] = {
    "--step-range",       "--rules", "--fail-above", "--fail-above-time", "--fail-above-kernel",
    "--fail-above-class", "--all",   "--rows"};

// Other files are left to load_machine_model(), which reports what is wrong with them.
bool is_profile(const std::string& file) {
  constexpr std::string_view kSqliteMagic("SQLite format 3\0", 16);
  std::string head(kSqliteMagic.size(), '\0');
  require_input_file(file, file);
  std::ifstream in(file, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + file + ": " + std::strerror(errno));
  in.read(head.data(), static_cast<std::streamsize>(head.size()));
  return in && head == kSqliteMagic;
}

template <std::size_t N>
void refuse(const CLI::App& app, const char* const (&options)[N], const std::string& are) {
  for (const char* option : options) {
    if (app.count(option) == 0) continue;
    throw UsageError(std::string(option) + " does not apply: both files are " + are);
  }
}

int compare_command(const CompareOptions& o) {
  const bool a = is_profile(o.runs.baseline);
  const bool b = is_profile(o.runs.candidate);
  if (a != b) {
    throw UsageError("a profile cannot be compared with a machine model: " +
                     (a ? o.runs.baseline : o.runs.candidate) + " is a profile, " +
                     (a ? o.runs.candidate : o.runs.baseline) +
                     " is not. To analyze a profile on a machine model, use 'mansard analyze "
                     "--machine'");
  }
  if (a) {
    refuse(*o.app, kMachineModelOptions, "profiles");
    return compare_runs_command(o.runs);
  }
  refuse(*o.app, kProfileOptions, "machine models");
  return compare_machines(o.machines);
}

void declare_machine_options(CLI::App& app, CompareMachinesOptions& o) {
  app.add_option("--gate", o.gate_percent,
                 "Machine models: exit 3 if any ceiling differs by more than this many percent")
      ->check(zero_or_more());
  app.add_flag(
         "--at-equal-clock", o.at_equal_clock,
         "Machine models: apply --gate to fractions of theoretical peak at the measured clock; "
         "ceilings without one are not checked")
      ->needs("--gate");
}

void declare_run_options(CLI::App& app, CompareRunsOptions& o) {
  app.add_option(
      "--step-range", o.step_range,
      "Profiles: compare per step; name prefix of the NVTX ranges that are steps. Default: "
      "ranges named as steps by the program or its framework; of several kinds, the one in both "
      "profiles that covers the most time; without any, launches that repeat");
  app.add_option(
      "--rules", o.rules,
      "Profiles: file of kernel classification rules that take precedence over the built-in "
      "ones");
  // An empty value (an unset shell variable) is an error, not the same as leaving out the option.
  const auto limit = [&app](const char* name, std::optional<std::string>& to, const char* help) {
    app.add_option_function<std::string>(
        name, [&to](const std::string& text) { to = text; }, help);
  };
  limit("--fail-above", o.fail_above,
        "Profiles: exit 3 if device busy time increases by more than this many percent");
  limit("--fail-above-time", o.fail_above_time,
        "Profiles: exit 3 if the run's span, or the step-to-step time, increases by more than this "
        "many percent");
  limit(
      "--fail-above-kernel", o.fail_above_kernel,
      "Profiles: exit 3 if any kernel with at least 1 % of the kernel time increases by more than "
      "this many percent");
  app.add_option(
         "--fail-above-class", o.fail_above_class,
         "Profiles: exit 3 if a class increases by more than this: '5%' for every class with at "
         "least 1 % of the kernel time, 'gemm=5%' for one; repeatable")
      ->allow_extra_args(false);
  app.add_flag("--all", o.all,
               "Profiles: print all tables and notes, as does --rows. Default: one screen; formats "
               "other than table "
               "always have everything");
  app.add_option("--rows", o.rows,
                 "Profiles: maximum rows per table (0: all); JSON and CSV always have "
                 "all rows")
      ->check(zero_or_more())
      ->capture_default_str();
}

}  // namespace

void register_compare(CommandRegistry& registry) {
  Command command;
  command.name = "compare";
  command.summary = "Compare two profiles of a program, or two machine models";
  command.order = 35;
  command.declare = [](CLI::App& app) -> std::function<int()> {
    auto o = std::make_shared<CompareOptions>();
    o->app = &app;
    app.add_option("baseline", o->runs.baseline,
                   "Profile from 'mansard profile', or machine model from 'mansard characterize'")
        ->required();
    app.add_option("candidate", o->runs.candidate,
                   "Profile or machine model to compare with the baseline")
        ->required();
    declare_run_options(app, o->runs);
    declare_machine_options(app, o->machines);
    add_format_option(app, o->runs.format);
    return [o] {
      o->runs.all = o->runs.all || o->app->count("--rows") > 0;  // the overview has no such limit
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
