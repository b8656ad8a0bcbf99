// SPDX-License-Identifier: Apache-2.0
#include "analyzer/kernel_columns.h"

#include <algorithm>
#include <set>

#include "analyzer/kernel_signature.h"

namespace mansard::analysis {
namespace {

// The tier used for arithmetic intensity if a single one is needed: the device's own memory.
MemoryLevel main_memory(kernels::Target target) {
  return target == kernels::Target::cuda ? MemoryLevel::hbm : MemoryLevel::dram;
}

// A value that exists for single rows only, not for groups.
template <class Get>
auto of_row(Get get) {
  return [get](const KernelEntry& entry) { return entry.row ? Cell(get(*entry.row)) : Cell(); };
}

Cell flop_cell(const KernelEntry& entry) { return positive(entry.totals.flop); }

Cell flop_rate_cell(const KernelEntry& entry) {
  return quotient(entry.totals.flop, entry.totals.flop_s);
}

// Without ceilings, the first tier that has bytes.
std::optional<MemoryLevel> slowest_tier(const KernelRow& row) {
  std::optional<MemoryLevel> slowest;
  double longest_s = -1;
  for (const auto& [level, bytes] : row.work.bytes) {
    const auto time = row.sol.bandwidth_s.find(level);
    const double time_s = time == row.sol.bandwidth_s.end() ? 0 : time->second;
    if (!(bytes > 0) || time_s <= longest_s) continue;
    longest_s = time_s;
    slowest = level;
  }
  return slowest;
}

Cell byte_rate_cell(const KernelRow& row) {
  const std::optional<MemoryLevel> slowest = slowest_tier(row);
  return slowest ? quotient(row.work.bytes.at(*slowest), row.time_s) : Cell();
}

Cell bytes_cell(const KernelRow& row, MemoryLevel level) {
  const auto bytes = row.work.bytes.find(level);
  return bytes == row.work.bytes.end() ? Cell() : positive(bytes->second);
}

Cell saving_cell(const KernelEntry& entry) {
  return entry.totals.sol_s > 0 ? Cell(entry.totals.saving_s) : Cell();
}

std::string bytes_key(MemoryLevel level) { return std::string(info(level).key) + "_bytes"; }
std::string intensity_key(MemoryLevel level) {
  return std::string(info(level).key) + "_flop_per_byte";
}

KernelColumns all_columns() {
  using enum CellFormat;
  KernelColumns columns = {
      {{"class", "class", text, "", "Operation class, from the annotation or else the kernel name"},
       of_row([](const KernelRow& row) { return row.operation_class.name(); })},
      {{"name", "name", text, "", "Name without namespaces, template parameters and arguments"},
       of_row([](const KernelRow& row) { return row.short_name; })},
      {{"shape", "shape", text, "", "Problem shape from the annotation; size range of a memcpy"},
       of_row([](const KernelRow& row) { return text_cell(row.shape); })},
      {{"signatures", "signatures", count, "", "Kernel signatures: rows of the kernel table"},
       [](const KernelEntry& entry) { return entry.totals.rows; }},
      {{"time_s", "time", quantity, "s", "Total duration T of all launches"},
       [](const KernelEntry& entry) { return entry.totals.time_s; }},
      {{"step_time_s", "time per step", quantity, "s",
        "Device time of a typical step; overlapping time counts once"},
       [](const KernelEntry& entry) { return entry.totals.step_time_s; }},
      {{"step_share", "share of step", fraction, "", "Share of the time of a typical step"},
       [](const KernelEntry& entry) { return entry.totals.step_share; }},
      {{"step_launches", "launches per step", count, "",
        "Launches in a typical step; a mean is not always a whole number"},
       [](const KernelEntry& entry) { return entry.totals.step_launches; }},
      {{"step_sol_s", "SOL per step", quantity, "s", "SOL time of the launches of a typical step"},
       [](const KernelEntry& entry) { return positive(entry.totals.step_sol_s); }},
      {{"step_saving_s", "saving per step", quantity, "s",
        "Potential saving in a typical step: T - T_sol of its launches, where FLOPs or bytes are "
        "known; at most their time per step"},
       saving_cell},
      {{"saving_s", "saving", quantity, "s",
        "Potential saving in a run without steps: T - T_sol of all launches, where FLOPs or bytes "
        "are known"},
       saving_cell},
      {{"share", "share", fraction, "", "Share of the total time of all rows"},
       [](const KernelEntry& entry) { return entry.totals.share; }},
      {{"launches", "launches", count, "",
        "Number of kernels, memcpys, memsets or annotated host ranges"},
       [](const KernelEntry& entry) { return entry.totals.launches; }},
      {{"mean_s", "duration", quantity, "s", "Mean duration of a launch"},
       [](const KernelEntry& entry) {
         return quotient(entry.totals.time_s, static_cast<double>(entry.totals.launches));
       }},
      {{"slowdown", "slowdown vs. SOL", ratio, "",
        "T / T_sol, where FLOPs or bytes are known; T is at least the launch time"},
       [](const KernelEntry& entry) { return quotient(entry.totals.cost_s, entry.totals.sol_s); }},
      {{"sol_fraction", "SOL %", fraction, "",
        "T_sol / T, where FLOPs or bytes are known; 100 %: as fast as the machine allows"},
       [](const KernelEntry& entry) {
         return entry.totals.sol_s > 0 ? quotient(entry.totals.sol_s, entry.totals.cost_s) : Cell();
       }},
      {{"bound", "bound by", text, "", "Ceiling that sets the SOL time"},
       of_row([](const KernelRow& row) {
         return row.sol.time_s > 0 ? Cell(row.sol.bound_label) : Cell();
       })},
      {{"precision", "precision", text, "",
        "From the annotation, else the kernel name, else the precision with most counted FLOPs"},
       of_row([](const KernelRow& row) {
         return row.precision ? Cell(std::string(info(*row.precision).label)) : Cell();
       })},
      {{"library", "library", text, "", "From the kernel name"},
       of_row([](const KernelRow& row) { return text_cell(row.library); })},
      {{"pass", "pass", text, "", "Forward or backward pass, from the kernel name"},
       of_row([](const KernelRow& row) { return text_cell(row.pass); })},
      {{"flop_per_s", "FLOP/s", quantity, "FLOP/s", "F / T, where the FLOPs F are known"},
       flop_rate_cell},
      {{"sol_s", "SOL time", quantity, "s",
        "T_sol = max(sum of F / P by precision, B / BW by tier, launches x launch time)"},
       [](const KernelEntry& entry) { return positive(entry.totals.sol_s); }},
      {{"known_fraction", "known", fraction, "",
        "Share of the time that is in kernels with known FLOPs or bytes"},
       [](const KernelEntry& entry) {
         return quotient(entry.totals.known_s, entry.totals.time_s);
       }},
      {{"flop", "FLOP", quantity, "FLOP", "Total FLOPs F of all launches"}, flop_cell},
      {{"executed_ratio", "executed / needed", ratio, "",
        "Counted FLOPs / FLOPs of the shapes or annotation; above 1: padding, masked tiles or "
        "recomputation"},
       [](const KernelEntry& entry) {
         return quotient(entry.totals.executed_flop, entry.totals.needed_flop);
       }},
      {{"bytes_per_s", "B/s", quantity, "B/s", "B / T at the memory tier with the longest B / BW"},
       of_row(byte_rate_cell)},
      {{"flop_per_byte", "FLOP/B", quantity, "FLOP/B",
        "Arithmetic intensity F / B at device memory (host: DRAM)"},
       of_row(
           [](const KernelRow& row) { return cell_of(intensity(row, main_memory(row.target))); })},
      {{"origin", "work from", text, "", "Source of FLOPs and bytes"},
       of_row([](const KernelRow& row) { return std::string(to_string(row.origin)); })},
      {{"min_s", "min", quantity, "s", "Shortest duration of a launch"},
       of_row([](const KernelRow& row) { return row.min_s; })},
      {{"median_s", "median", quantity, "s", "Median duration of a launch"},
       of_row([](const KernelRow& row) { return row.median_s; })},
      {{"max_s", "max", quantity, "s", "Longest duration of a launch"},
       of_row([](const KernelRow& row) { return row.max_s; })},
      {{"runs_on", "runs on", text, "", "Device or host"}, of_row([](const KernelRow& row) {
         return std::string(row.target == kernels::Target::host ? "host" : "device");
       })},
      {{"signature", "signature", text, "", "Full name, grid, block and dynamic shared memory"},
       of_row([](const KernelRow& row) {
         return kernel_signature(row.name, row.grid, row.block, row.shared_bytes);
       })},
  };
  for (const MemoryLevelInfo& tier : kMemoryLevels) {
    const std::string label(tier.label);
    const MemoryLevel level = tier.id;
    columns.push_back(
        {{bytes_key(level), label + " bytes", quantity, "B", "Bytes read and written at " + label},
         of_row([level](const KernelRow& row) { return bytes_cell(row, level); })});
    columns.push_back(
        {{intensity_key(level), label + " AI", quantity, "FLOP/B",
          "Arithmetic intensity F / B at " + label},
         of_row([level](const KernelRow& row) { return cell_of(intensity(row, level)); })});
  }
  return columns;
}

}  // namespace

const KernelColumns& kernel_columns() {
  static const KernelColumns columns = all_columns();
  return columns;
}

Column kernel_head(std::string_view key, std::string help) {
  Column head = at_key(kernel_columns(), key).column;
  if (!help.empty()) head.description = std::move(help);
  return head;
}

KernelColumns kernel_table_columns(const RunAnalysis& run) {
  // The most important comes first: a narrow terminal leaves out columns from the right.
  // Sums over the whole run follow the values of a typical step, if there are steps.
  std::vector<std::string> keys = {"class", "name", "shape"};
  if (has_step_times(run)) {
    append(keys,
           {"step_saving_s", "step_time_s", "step_share", "slowdown", "bound", "step_launches",
            "precision", "library", "pass", "flop_per_s", "mean_s", "time_s", "share", "launches"});
  } else {
    append(keys, {"saving_s", "time_s", "share", "slowdown", "bound", "launches", "precision",
                  "library", "pass", "flop_per_s", "mean_s"});
  }
  append(keys, {"sol_s", "flop", "executed_ratio", "bytes_per_s"});
  std::set<MemoryLevel> levels;
  for (const KernelRow& row : run.rows) {
    for (const auto& [level, bytes] : row.work.bytes) {
      if (bytes > 0) levels.insert(level);
    }
  }
  for (const MemoryLevel level : levels) {
    keys.push_back(bytes_key(level));
    keys.push_back(intensity_key(level));
  }
  keys.insert(keys.end(), {"origin", "min_s", "median_s", "max_s", "runs_on", "signature"});
  return choose(kernel_columns(), keys);
}

std::string_view saving_key(const RunAnalysis& run) {
  return has_step_times(run) ? "step_saving_s" : "saving_s";
}

std::string_view kernel_order_key(const RunAnalysis& run) {
  const bool by_step = has_step_times(run);
  const auto time_s = [&](const KernelRow& row) { return by_step ? row.step_time_s : row.time_s; };
  double known_s = 0;
  double all_s = 0;
  for (const KernelRow& row : run.rows) {
    all_s += time_s(row);
    if (row.sol.time_s > 0) known_s += time_s(row);
  }
  if (known_s > 0 && 2 * known_s >= all_s) return saving_key(run);
  return by_step ? "step_time_s" : "time_s";
}

std::string kernel_table_title(const RunAnalysis& run) {
  const bool by_saving = kernel_order_key(run).ends_with("saving_s");
  return std::string("Kernels by ") + (by_saving ? "potential saving" : "time") +
         (has_step_times(run) ? " per step" : "");
}

std::vector<std::size_t> rows_in_order(const RunAnalysis& run) {
  const auto& value = at_key(kernel_columns(), kernel_order_key(run)).value;
  std::vector<std::size_t> order;
  std::vector<std::pair<double, double>> keys;  // unknown values come last, by time
  for (std::size_t i = 0; i < run.rows.size(); ++i) {
    const KernelRow& row = run.rows[i];
    const Cell cell = value(KernelEntry(row));
    const auto* known = std::get_if<double>(&cell);
    keys.emplace_back(known != nullptr ? *known : -1, row.step_time_s);
    if (row.launches > 0) order.push_back(i);
  }
  std::ranges::stable_sort(order, std::greater(), [&](std::size_t i) { return keys[i]; });
  return order;
}

std::string brief_name(const KernelRow& row, int width) {
  constexpr std::string_view kGenerated = "cudnn_generated_fort_native_";
  std::string_view name = row.short_name.empty() ? row.name : row.short_name;
  if (name.starts_with(kGenerated)) name.remove_prefix(kGenerated.size());
  return truncate_middle(one_line(name), width);
}

std::optional<double> intensity(const KernelRow& row, MemoryLevel level) {
  const auto found = row.work.bytes.find(level);
  const double flop = row.work.total_flop();
  if (found == row.work.bytes.end() || !(found->second > 0) || !(flop > 0)) return std::nullopt;
  return flop / found->second;
}

std::optional<double> fraction_of_light(const KernelRow& row) {
  if (!row.slowdown || !(*row.slowdown > 0)) return std::nullopt;
  return 1 / *row.slowdown;
}

}  // namespace mansard::analysis
