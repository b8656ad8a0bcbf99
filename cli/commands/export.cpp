// SPDX-License-Identifier: Apache-2.0
#include "reports/export/export.h"

#include <array>
#include <iostream>
#include <memory>

#include <CLI/CLI.hpp>

#include "cli/command.h"
#include "cli/input_guard.h"
#include "cli/output.h"
#include "cli/write_file.h"
#include "collector/launch/launch.h"
#include "support/text.h"
#include "support/units.h"

namespace mansard::cli {

void register_export(CommandRegistry& registry);

namespace {

struct ExportOptions {
  std::string profile;
  std::string target;
  std::string output;
  std::string table;
  std::string rules;
  std::vector<std::string> machines;
  bool force = false;
};

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    text += i == 0 ? "" : i + 1 == words.size() ? " or " : ", ";
    text += words[i];
  }
  return text;
}

reports::ExportTable chosen_table(const ExportOptions& o) {
  if (o.table.empty()) return reports::ExportTable::launches;
  const std::optional<reports::ExportTable> table = reports::parse_export_table(o.table);
  if (!table) {
    throw UsageError("unknown table '" + o.table + "'." +
                     did_you_mean(o.table, reports::csv_table_keys()) + " --table takes " +
                     joined(reports::csv_table_keys()) + ".");
  }
  return *table;
}

using Write = reports::TimelineLosses (*)(const ExportOptions&, const reports::ExportInput&,
                                          reports::ByteSink&);

struct Target {
  const char* name;
  bool is_text;  // can be written to standard output
  const char* what;
  Write write;  // nullptr: a database, which writes its own file and cannot be compressed
};

constexpr std::array kTargets = {
    Target{"chrome", true, "Chrome trace events (JSON) for Perfetto and speedscope",
           [](const ExportOptions&, const reports::ExportInput& input, reports::ByteSink& sink) {
             return reports::export_chrome(input, sink);
           }},
    Target{"perfetto", false, "native Perfetto trace, smaller and faster to open",
           [](const ExportOptions&, const reports::ExportInput& input, reports::ByteSink& sink) {
             return reports::export_perfetto(input, sink);
           }},
    Target{"csv", true, "one table of events (--table)",
           [](const ExportOptions& o, const reports::ExportInput& input, reports::ByteSink& sink) {
             reports::export_csv(input, chosen_table(o), sink);
             return reports::TimelineLosses();
           }},
    Target{"json", true, "results of all analyses",
           [](const ExportOptions&, const reports::ExportInput& input, reports::ByteSink& sink) {
             reports::export_json(input, sink);
             return reports::TimelineLosses();
           }},
    Target{"sqlite", false, "the profile with the analysis results as SQL tables", nullptr},
};

std::vector<std::string> target_names() {
  std::vector<std::string> names;
  for (const Target& target : kTargets) names.emplace_back(target.name);
  return names;
}

const Target& chosen_target(const ExportOptions& o) {
  for (const Target& target : kTargets) {
    if (o.target == target.name) return target;
  }
  throw UsageError("cannot export to '" + o.target + "'." + did_you_mean(o.target, target_names()) +
                   " --to takes " + joined(target_names()) + ".");
}

bool to_standard_output(const ExportOptions& o) {
  return o.output.empty() || o.output == "-" || is_standard_output(o.output);
}

void check(const ExportOptions& o, const Target& target) {
  if (!o.table.empty() && o.target != "csv") {
    throw UsageError("--table " + o.table + " needs --to csv; it does not apply to --to " +
                     o.target);
  }
  if (to_standard_output(o)) {
    if (target.is_text) return;
    throw UsageError(o.target +
                     " is a binary format and is not written to standard output; name a file "
                     "with -o");
  }
  if (reports::is_packed_name(o.output) && target.write == nullptr) {
    throw UsageError("-o " + o.output +
                     ": SQLite cannot open a compressed database; leave out .gz");
  }
  require_no_input(o.output, {{"the profile itself", {o.profile}},
                              {"the --machine model", o.machines},
                              {"the --rules file", {o.rules}}});
  require_writable(o.output, o.force,
                   target.write != nullptr ? OutputKind::text : OutputKind::database);
}

// The output file appears only when it is complete.
reports::TimelineLosses write_export(const ExportOptions& o, const Target& target,
                                     const reports::ExportInput& input) {
  if (target.write == nullptr) {
    reports::export_sqlite(input, o.output);
    return {};
  }
  const auto write_to = [&](const std::unique_ptr<reports::ByteSink>& sink) {
    const reports::TimelineLosses losses = target.write(o, input, *sink);
    sink->finish();
    return losses;
  };
  if (to_standard_output(o)) return write_to(reports::standard_output_sink());
  OutputFile output(o.output);
  const reports::TimelineLosses losses =
      write_to(reports::open_file_sink(output.file(), reports::is_packed_name(o.output)));
  output.finish();
  return losses;
}

std::string next_command(const ExportOptions& o) {
  if (o.target == "sqlite") {
    return join_command({"sqlite3", o.output,
                         "SELECT class, sum(timeNs) / 1e6 AS ms FROM MANSARD_KERNEL_ROWS GROUP BY "
                         "class ORDER BY ms DESC"});
  }
  const bool trace = o.target == "chrome" || o.target == "perfetto";
  if (trace && !to_standard_output(o)) {
    return "xdg-open https://ui.perfetto.dev   # then open " + join_command({o.output}) + " there";
  }
  return "mansard analyze " + join_command({o.profile});
}

int export_command(const ExportOptions& o) {
  const Target& target = chosen_target(o);
  chosen_table(o);
  check(o, target);
  std::vector<roofline::MachineModel> machines;
  for (const std::string& file : o.machines) machines.push_back(roofline::load_machine_model(file));
  std::optional<analysis::KernelRules> rules;
  analysis::AnalysisOptions options;
  if (!o.rules.empty()) options.rules = &rules.emplace(analysis::load_kernel_rules(o.rules));
  const analysis::RunAnalysis run =
      analysis::analyze_run(store::load_profile(o.profile), machines, options);
  const reports::ExportInput input{.run = run,
                                   .names = store::read_host_names(o.profile),
                                   .command = invocation(),
                                   .rules = options.rules};
  const reports::TimelineLosses losses = write_export(o, target, input);
  if (losses.without_times > 0) {
    say(format_whole(losses.without_times) +
        " events have no timestamps and are left out of the trace");
  }
  if (!to_standard_output(o)) say("wrote " + o.output);
  suggest_next(next_command(o));
  return exit_ok;
}

std::string target_help() {
  std::string text;
  for (const Target& target : kTargets) {
    if (!text.empty()) text += "; ";
    text += std::string(target.name) + ": " + target.what;
  }
  return text;
}

std::function<int()> declare_export(CLI::App& app) {
  auto o = std::make_shared<ExportOptions>();
  app.add_option("profile", o->profile,
                 "Profile to export (SQLite; Nsight Systems exports work too)")
      ->required();
  app.add_option("--to", o->target, target_help())->required();
  app.add_option(
      "-o,--output", o->output,
      "Write to this file, compressed if the name ends in .gz. '-' and default: standard "
      "output (chrome, csv and json)");
  app.add_option(
      "--table", o->table,
      "Table for --to csv: " + joined(reports::csv_table_keys()) + ". Default: launches");
  app.add_option("-m,--machine", o->machines,
                 "Machine model from 'mansard characterize'; repeatable: the one that matches the "
                 "profile's device is used. Default: datasheet peaks")
      ->allow_extra_args(false);
  app.add_option("--rules", o->rules,
                 "File of kernel classification rules that take precedence over the built-in ones");
  app.add_flag("-f,--force", o->force, "Replace the output file if it exists");
  return [o] { return export_command(*o); };
}

}  // namespace

void register_export(CommandRegistry& registry) {
  registry.add({.name = "export",
                .summary = "Export a profile: Chrome or Perfetto trace, CSV, JSON, SQLite",
                .order = 42,
                .declare = declare_export,
                .reads_files = true});
}

}  // namespace mansard::cli
