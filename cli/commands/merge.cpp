// SPDX-License-Identifier: Apache-2.0
#include "collector/merge/merge.h"

#include <iostream>
#include <memory>

#include <CLI/CLI.hpp>

#include "analyzer/run_analysis.h"
#include "cli/command.h"
#include "cli/format_option.h"
#include "cli/input_guard.h"
#include "cli/output.h"
#include "cli/write_file.h"
#include "collector/launch/launch.h"
#include "support/text.h"
#include "support/units.h"

namespace mansard::cli {

void register_merge(CommandRegistry& registry);

namespace {

struct Options {
  std::vector<std::string> files;
  std::string output;
  bool force = false;
  std::string format = "table";
};

analysis::Finding describe(const collector::MergedRecording& merged) {
  analysis::Table table{"ranks", "Ranks", {}, {}};
  table.columns = {
      {"rank", "rank", analysis::CellFormat::count, "", "In the job."},
      {"host", "host", analysis::CellFormat::text, "", "It ran on."},
      {"pid", "process", analysis::CellFormat::count, "", "On that host."},
      {"clock_offset_s", "clock offset", analysis::CellFormat::quantity, "s",
       "Added to its clock, in the middle of the collectives, to get the first rank's."},
      {"clock_drift", "drift", analysis::CellFormat::quantity, "s/s", "Change of that offset."},
      {"file", "file", analysis::CellFormat::text, "", "Recording of this rank."}};
  for (std::size_t i = 0; i < merged.ranks.size(); ++i) {
    const collector::RankRecording& rank = merged.ranks[i];
    const collector::ClockShift& shift = merged.alignment.shifts[i];
    table.rows.push_back({std::int64_t{rank.session.rank}, rank.session.host, rank.session.pid,
                          1e-9 * static_cast<double>(shift.offset_ns), shift.drift,
                          rank.file.string()});
  }
  analysis::Finding finding;
  finding.id = "merge";
  finding.title = std::to_string(merged.ranks.size()) + " ranks on one clock";
  finding.summary = "Aligned on the ends of " + std::to_string(merged.collectives) +
                    " collectives, which are now " +
                    format_si(1e-9 * merged.alignment.median_residual_ns, "s") +
                    " apart in the median and " +
                    format_si(1e-9 * merged.alignment.largest_residual_ns, "s") + " at most.";
  finding.tables = {table};
  return finding;
}

int merge_command(const Options& o) {
  if (o.files.size() < 2) throw UsageError("give the recordings of two ranks or more");
  require_no_input(o.output, {{"one of the recordings to be merged", o.files}});
  require_writable(o.output, o.force, OutputKind::database);
  std::vector<std::filesystem::path> files(o.files.begin(), o.files.end());
  const collector::MergedRecording merged = collector::plan_merge(files);
  for (const std::string& name : merged.uneven) {
    say("not every rank launched " + name + " as often; it is not used for the clocks");
  }
  collector::write_merged(merged, o.output);
  std::cout << reports::render({describe(merged)}, format_of(o.format), render_options());
  suggest_next("mansard analyze " + join_command({o.output}));
  return exit_ok;
}

std::function<int()> declare(CLI::App& app) {
  auto o = std::make_shared<Options>();
  app.add_option("recordings", o->files, "One of each rank, by `mansard profile -o NAME-%r.sqlite`")
      ->required();
  app.add_option("-o,--output", o->output, "The merged recording")->required();
  app.add_flag("-f,--force", o->force, "Replace the output if it exists");
  add_format_option(app, o->format);
  app.footer(
      "The ranks' clocks are aligned on the ends of NCCL's AllReduce, AllGather, ReduceScatter "
      "and\n"
      "AlltoAll kernels that all ranks took part in; without enough of them nothing is merged.");
  return [o] { return merge_command(*o); };
}

}  // namespace

void register_merge(CommandRegistry& registry) {
  registry.add({.name = "merge",
                .summary = "Put the recordings of a job's ranks on one clock, in one file",
                .order = 25,
                .declare = declare,
                .reads_files = true});
}

}  // namespace mansard::cli
