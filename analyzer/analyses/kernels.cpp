// SPDX-License-Identifier: Apache-2.0
// The kernel table: everything that is known of every row.
#include <set>

#include "analyzer/kernel_signature.h"
#include "analyzer/row_totals.h"
#include "support/units.h"

namespace mansard::analysis {

namespace {

std::vector<Column> columns(const std::set<MemoryLevel>& levels) {
  // What matters most comes first: a narrow terminal leaves out columns from the right.
  std::vector<Column> out = {
      {"class", "class", CellFormat::text, "", "By annotation, else by the kernel's name"},
      {"name", "name", CellFormat::text, "", "Without namespaces, templates and arguments"},
      {"shape", "shape", CellFormat::text, "", "Of the work, by annotation; size of a memcpy"},
      {"time_s", "time", CellFormat::quantity, "s", "Sum over launches"},
      {"share", "share", CellFormat::fraction, "", "Of the time of all rows"},
      {"inefficiency", "distance", CellFormat::ratio, "", "Time over speed of light"},
      {"bound", "bound by", CellFormat::text, "", "The ceiling that sets the speed of light"},
      {"launches", "launches", CellFormat::count, "",
       "Kernels, memcpys, memsets or annotated host ranges"},
      {"precision", "precision", CellFormat::text, "",
       "By annotation, else by the kernel's name, else of most counted operations"},
      {"library", "library", CellFormat::text, "", "By the kernel's name"},
      {"pass", "pass", CellFormat::text, "", "Forward or backward, by the kernel's name"},
      {"flop_per_s", "FLOP/s", CellFormat::quantity, "FLOP/s", "FLOP over time"},
      {"speed_of_light_s", "speed of light", CellFormat::quantity, "s",
       "Least time of all launches on this machine"},
      {"flop", "FLOP", CellFormat::quantity, "FLOP", "Sum over launches"},
  };
  out.push_back({"bytes_per_s", "B/s", CellFormat::quantity, "B/s",
                 "Bytes over time, at the tier whose bytes take longest"});
  for (const MemoryLevel level : levels) {
    const std::string key(info(level).key);
    const std::string label(info(level).label);
    out.push_back({key + "_bytes", label + " bytes", CellFormat::quantity, "B",
                   "Bytes read plus written at " + label});
    out.push_back({key + "_flop_per_byte", label + " AI", CellFormat::quantity, "FLOP/B",
                   "Arithmetic intensity at " + label});
  }
  out.push_back({"origin", "work from", CellFormat::text, "", "Where FLOPs and bytes come from"});
  out.push_back({"min_s", "min", CellFormat::quantity, "s", "Shortest launch"});
  out.push_back({"median_s", "median", CellFormat::quantity, "s", "Median launch"});
  out.push_back({"max_s", "max", CellFormat::quantity, "s", "Longest launch"});
  out.push_back({"runs_on", "runs on", CellFormat::text, "", "Device or host"});
  out.push_back({"signature", "signature", CellFormat::text, "",
                 "Complete name, grid, block and shared memory"});
  return out;
}

// Without ceilings, the first tier that has bytes.
std::optional<MemoryLevel> slowest_tier(const KernelRow& row) {
  std::optional<MemoryLevel> slowest;
  double longest_s = -1;
  for (const auto& [level, bytes] : row.work.bytes) {
    const auto time = row.limit.bandwidth_s.find(level);
    const double time_s = time == row.limit.bandwidth_s.end() ? 0 : time->second;
    if (!(bytes > 0) || time_s <= longest_s) continue;
    longest_s = time_s;
    slowest = level;
  }
  return slowest;
}

std::vector<Cell> cells(const KernelRow& row, const std::set<MemoryLevel>& levels) {
  const double flop = row.work.total_flop();
  std::vector<Cell> out = {
      row.operation_class,
      row.short_name,
      row.shape.empty() ? Cell() : Cell(row.shape),
      row.time_s,
      row.share,
      row.inefficiency ? Cell(*row.inefficiency) : Cell(),
      row.limit.time_s > 0 ? Cell(row.limit.bound_label) : Cell(),
      row.launches,
      row.precision ? Cell(std::string(info(*row.precision).label)) : Cell(),
      row.library.empty() ? Cell() : Cell(row.library),
      row.pass.empty() ? Cell() : Cell(row.pass),
      flop > 0 ? quotient(flop, row.time_s) : Cell(),
      positive(row.limit.time_s),
      positive(flop),
  };
  const std::optional<MemoryLevel> slowest = slowest_tier(row);
  out.push_back(slowest ? quotient(row.work.bytes.at(*slowest), row.time_s) : Cell());
  for (const MemoryLevel level : levels) {
    const auto entry = row.work.bytes.find(level);
    const double bytes = entry == row.work.bytes.end() ? 0 : entry->second;
    out.push_back(positive(bytes));
    out.push_back(flop > 0 ? quotient(flop, bytes) : Cell());
  }
  out.emplace_back(std::string(to_string(row.origin)));
  out.insert(out.end(), {row.min_s, row.median_s, row.max_s});
  out.emplace_back(std::string(row.target == kernels::Target::host ? "host" : "device"));
  out.emplace_back(kernel_signature(row.name, row.grid, row.block, row.shared_bytes));
  return out;
}

Finding kernel_table(const RunAnalysis& run) {
  std::set<MemoryLevel> levels;
  for (const KernelRow& row : run.rows) {
    for (const auto& [level, bytes] : row.work.bytes) {
      if (bytes > 0) levels.insert(level);
    }
  }
  Table table;
  table.id = "kernels";
  table.title = "Kernels by time";
  table.columns = columns(levels);
  for (std::size_t i = 0; i < run.rows.size(); ++i) {
    if (run.rows[i].launches > 0) table.add(cells(run.rows[i], levels), {.row = i});
  }

  Finding finding;
  finding.id = "kernels";
  finding.title = "Kernels";
  finding.summary = "There are no kernels and no annotated host work.";
  if (!run.rows.empty()) {
    const KernelRow& top = run.rows.front();
    finding.summary = "The costliest of " + std::to_string(run.rows.size()) + " is " +
                      top.short_name + ", with " + format_percent(top.share) + " of the time.";
  }
  finding.tables.push_back(std::move(table));
  return finding;
}

}  // namespace

void register_kernels(AnalysisRegistry& registry) {
  registry.add({.name = "kernels",
                .summary = "Every kernel signature with its work, rate, bound and distance",
                .order = 30,
                .run = kernel_table});
}

}  // namespace mansard::analysis
