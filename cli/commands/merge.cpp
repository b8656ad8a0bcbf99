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

struct MergeOptions {
  std::vector<std::string> files;
  std::string output;
  bool force = false;
  std::string format = "table";
};

analysis::Finding describe(const collector::MergedProfile& merged) {
  analysis::Table table{"ranks", "Ranks", {}, {}};
  table.columns = {{"rank", "rank", analysis::CellFormat::count, "", "Rank in the job."},
                   {"host", "host", analysis::CellFormat::text, "", "Host of the rank."},
                   {"pid", "PID", analysis::CellFormat::count, "", "Process ID on that host."},
                   {"clock_offset_s", "clock offset", analysis::CellFormat::quantity, "s",
                    "Offset to the first rank's clock, at the middle of the collectives."},
                   {"clock_drift", "drift", analysis::CellFormat::quantity, "s/s",
                    "Clock drift: change of the offset per second."},
                   {"file", "file", analysis::CellFormat::text, "", "Profile of the rank."}};
  for (std::size_t i = 0; i < merged.ranks.size(); ++i) {
    const collector::RankProfile& rank = merged.ranks[i];
    const collector::ClockShift& shift = merged.alignment.shifts[i];
    table.rows.push_back({std::int64_t{rank.session.rank}, rank.session.host, rank.session.pid,
                          1e-9 * static_cast<double>(shift.offset_ns), shift.drift,
                          rank.file.string()});
  }
  analysis::Finding finding;
  finding.id = "merge";
  finding.title = std::to_string(merged.ranks.size()) + " ranks on one clock";
  finding.summary = "Aligned on the end times of " + format_whole(merged.collectives) +
                    " collectives. Residual difference between ranks: median " +
                    format_si(1e-9 * merged.alignment.median_residual_ns, "s") + ", maximum " +
                    format_si(1e-9 * merged.alignment.largest_residual_ns, "s") + ".";
  finding.tables = {table};
  return finding;
}

int merge_command(const MergeOptions& o) {
  if (o.files.size() < 2) throw UsageError("give the profiles of at least two ranks");
  require_no_input(o.output, {{"one of the profiles to merge", o.files}});
  require_writable(o.output, o.force, OutputKind::database);
  std::vector<std::filesystem::path> files(o.files.begin(), o.files.end());
  const collector::MergedProfile merged = collector::plan_merge(files);
  for (const std::string& name : merged.uneven) {
    say("the number of launches of " + name +
        " differs between ranks; not used to align the clocks");
  }
  collector::write_merged(merged, o.output);
  std::cout << reports::render({describe(merged)}, format_of(o.format), render_options());
  suggest_next("mansard analyze " + join_command({o.output}));
  return exit_ok;
}

std::function<int()> declare_merge(CLI::App& app) {
  auto o = std::make_shared<MergeOptions>();
  app.add_option("profiles", o->files,
                 "One profile per rank, from 'mansard profile -o NAME-%r.sqlite'")
      ->required();
  app.add_option("-o,--output", o->output, "Merged profile to write")->required();
  app.add_flag("-f,--force", o->force, "Replace the output file if it exists");
  add_format_option(app, o->format);
  app.footer(
      "Clocks are aligned on the end times of NCCL's AllReduce, AllGather, ReduceScatter and "
      "AlltoAll\n"
      "kernels that all ranks took part in; merge fails if there are too few.");
  return [o] { return merge_command(*o); };
}

}  // namespace

void register_merge(CommandRegistry& registry) {
  registry.add({.name = "merge",
                .summary = "Merge the profiles of a job's ranks into one, with aligned clocks",
                .order = 25,
                .declare = declare_merge,
                .reads_files = true});
}

}  // namespace mansard::cli
