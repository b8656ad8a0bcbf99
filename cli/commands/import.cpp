// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iostream>
#include <memory>
#include <unistd.h>

#include <CLI/CLI.hpp>

#include "analyzer/run_analysis.h"
#include "cli/command.h"
#include "cli/format_option.h"
#include "cli/input_guard.h"
#include "cli/output.h"
#include "cli/progress_bar.h"
#include "cli/write_file.h"
#include "collector/import/import_result.h"
#include "collector/launch/launch.h"
#include "collector/store/file_format.h"
#include "support/text.h"

namespace mansard::cli {

void register_import(CommandRegistry& registry);

namespace {

struct ImportOptions {
  std::vector<std::string> files;
  std::string output;
  bool force = false;
  std::string format = "table";
};

// The files to import, by their content.
struct Inputs {
  std::vector<std::filesystem::path> profiles;
  std::vector<std::filesystem::path> traces;
  std::vector<std::filesystem::path> counters;
};

Inputs sort_inputs(const std::vector<std::string>& files) {
  Inputs inputs;
  for (const std::string& file : files) {
    switch (const store::FileFormat format = store::recognize_format(file)) {
      case store::FileFormat::sqlite:
        inputs.profiles.push_back(file);
        break;
      case store::FileFormat::kineto_trace:
      case store::FileFormat::gzip:
        inputs.traces.push_back(file);
        break;
      case store::FileFormat::ncu_csv:
        inputs.counters.push_back(file);
        break;
      case store::FileFormat::unknown:
        throw std::runtime_error(
            file +
            ": unknown format; can import a PyTorch profiler trace (.json or .json.gz), an Nsight "
            "Compute table (ncu --csv, UTF-8), or a profile or Nsight Systems export (SQLite) to "
            "add such a table to");
      default:
        throw std::runtime_error(file + ": " + store::why_not_a_profile(file, format));
    }
  }
  return inputs;
}

void check(const Inputs& inputs) {
  if (inputs.profiles.size() + inputs.traces.size() > 1) {
    throw UsageError(
        "give only one profile or trace. Import the traces of several ranks one by one, then "
        "merge them with 'mansard merge'");
  }
  if (!inputs.profiles.empty() && inputs.counters.empty()) {
    const std::string file = inputs.profiles.front().string();
    throw UsageError(file + " needs no import; open it with 'mansard analyze " + file +
                     "'. To add an Nsight Compute table of counters: 'mansard import " + file +
                     " counters.csv -o run_with_counters.sqlite'");
  }
}

// The imported trace to which counters are added; they are added to a copy.
class IntermediateFile {
 public:
  explicit IntermediateFile(const std::filesystem::path& output)
      : file_(output.string() + ".trace." + std::to_string(getpid())) {}
  ~IntermediateFile() {
    std::error_code ignored;
    std::filesystem::remove(file_, ignored);
  }
  IntermediateFile(const IntermediateFile&) = delete;
  IntermediateFile& operator=(const IntermediateFile&) = delete;
  const std::filesystem::path& file() const { return file_; }

 private:
  std::filesystem::path file_;
};

collector::ImportResult import_trace_with_progress(const std::filesystem::path& trace,
                                                   const std::filesystem::path& output) {
  ProgressBar bar;
  return collector::import_trace(trace, output, [&](std::uint64_t bytes, std::uint64_t all_bytes) {
    constexpr std::uint64_t kMegabyte = 1'000'000;
    bar.update(static_cast<int>(bytes / kMegabyte), static_cast<int>(all_bytes / kMegabyte), -1,
               "MB of " + trace.filename().string());
  });
}

analysis::Table counts_table(const std::string& id, const std::string& title,
                             const collector::Tally& tally) {
  analysis::Table table{id, title, {}, {}};
  table.columns = {{"what", id == "skipped" ? "events" : "kind", analysis::CellFormat::text, "",
                    "Kind of event"},
                   {"count", "count", analysis::CellFormat::count, "", "Count"}};
  for (const auto& [what, count] : tally.counts()) table.rows.push_back({what, count});
  std::stable_sort(table.rows.begin(), table.rows.end(), [](const auto& a, const auto& b) {
    return std::get<std::int64_t>(a[1]) > std::get<std::int64_t>(b[1]);
  });
  return table;
}

using analysis::CellFormat;

analysis::Table unmatched_table(const std::vector<collector::UnmatchedCounters>& unmatched) {
  analysis::Table table{
      "unmatched", "Counters that match no kernel, or more than one, in the profile", {}, {}};
  table.columns = {
      {"kernel", "kernel", CellFormat::text, "", "Kernel name in Nsight Compute"},
      {"grid", "grid", CellFormat::text, "", "Grid size (blocks)"},
      {"block", "block", CellFormat::text, "", "Block size (threads)"},
      {"launches", "launches", CellFormat::count, "", "Launches in the Nsight Compute table"},
      {"why", "reason", CellFormat::text, "", "Why no kernel was matched"}};
  for (const collector::UnmatchedCounters& u : unmatched) {
    const std::string why = u.candidates == 0
                                ? "no such kernel"
                                : "ambiguous: matches " + std::to_string(u.candidates) + " kernels";
    table.rows.push_back({u.kernel, extent_text(u.grid), extent_text(u.block), u.launches, why});
  }
  return table;
}

analysis::Table uncounted_table(const std::vector<collector::UncountedKernel>& uncounted) {
  analysis::Table table{"without_counters", "Kernels without counters, by time", {}, {}};
  table.columns = {{"kernel", "kernel", CellFormat::text, "", "Kernel name in the profile"},
                   {"grid", "grid", CellFormat::text, "", "Grid size (blocks)"},
                   {"block", "block", CellFormat::text, "", "Block size (threads)"},
                   {"launches", "launches", CellFormat::count, "", "Launches in the profile"},
                   {"time_s", "time", CellFormat::quantity, "s", "Total time of all launches"}};
  for (const collector::UncountedKernel& k : uncounted) {
    table.rows.push_back(
        {k.kernel, extent_text(k.grid), extent_text(k.block), k.launches, k.time_s});
  }
  return table;
}

analysis::Finding describe(const std::string& output, const collector::ImportResult& result) {
  analysis::Finding finding;
  finding.id = "import";
  finding.title = "Imported into " + output;
  finding.summary = result.summary;
  finding.tables.push_back(counts_table("imported", "Imported", result.imported));
  if (!result.skipped.counts().empty()) {
    finding.tables.push_back(counts_table("skipped", "Not imported", result.skipped));
  }
  if (!result.unmatched.empty()) finding.tables.push_back(unmatched_table(result.unmatched));
  if (!result.uncounted.empty()) finding.tables.push_back(uncounted_table(result.uncounted));
  return finding;
}

std::vector<collector::ImportResult> import_all(const Inputs& inputs, const std::string& output) {
  if (inputs.counters.empty()) return {import_trace_with_progress(inputs.traces.front(), output)};
  if (!inputs.profiles.empty()) {
    return {collector::add_counters(inputs.profiles.front(), inputs.counters, output)};
  }
  if (inputs.traces.empty()) return {collector::import_counters(inputs.counters, output)};
  const IntermediateFile trace(output);
  collector::ImportResult imported =
      import_trace_with_progress(inputs.traces.front(), trace.file());
  return {std::move(imported), collector::add_counters(trace.file(), inputs.counters, output)};
}

int import_command(const ImportOptions& o) {
  const Inputs inputs = sort_inputs(o.files);
  check(inputs);
  require_no_input(o.output, {{"one of the files to import", o.files}});
  require_writable(o.output, o.force, OutputKind::database);
  std::vector<analysis::Finding> findings;
  for (const collector::ImportResult& result : import_all(inputs, o.output)) {
    for (const std::string& note : result.notes) say(note);
    findings.push_back(describe(o.output, result));
  }
  std::cout << reports::render(findings, format_of(o.format), render_options());
  suggest_next("mansard analyze " + join_command({o.output}));
  return exit_ok;
}

std::function<int()> declare_import(CLI::App& app) {
  auto o = std::make_shared<ImportOptions>();
  app.add_option(
         "files", o->files,
         "A PyTorch profiler trace (.json, .json.gz), tables from 'ncu --csv', or a profile or "
         "trace and the tables to add to it")
      ->required();
  app.add_option("-o,--output", o->output, "Profile to write")->required();
  app.add_flag("-f,--force", o->force, "Replace the output file if it exists");
  add_format_option(app, o->format);
  app.footer(
      "Formats are detected by content. Nsight Systems exports ('nsys export --type sqlite') need "
      "no\n"
      "import: analyze, report and gui open them directly.");
  return [o] { return import_command(*o); };
}

}  // namespace

void register_import(CommandRegistry& registry) {
  registry.add(
      {.name = "import",
       .summary = "Convert PyTorch profiler traces and Nsight Compute counters to profiles",
       .order = 27,
       .declare = declare_import,
       .reads_files = true});
}

}  // namespace mansard::cli
