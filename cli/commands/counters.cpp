// SPDX-License-Identifier: Apache-2.0
// `mansard counters`: the hardware counters that `mansard profile --counters` reads, by chip.
#include <algorithm>
#include <iostream>
#include <memory>
#include <set>
#include <stdexcept>

#include <CLI/CLI.hpp>

#include "cli/command.h"
#include "cli/format_option.h"
#include "cli/output.h"
#include "collector/session/recording_options.h"
#if MANSARD_HAVE_CUPTI
#include "collector/cupti/counters/describe_counters.h"
#endif
#include "kernels/vocabulary/counter_terms.h"
#include "kernels/vocabulary/flop_counters.h"
#include "kernels/vocabulary/memory_level.h"

namespace mansard::cli {

void register_counters(CommandRegistry& registry);

namespace {

struct CountersOptions {
  std::string set = "roofline";
  std::string chip;
  std::string format = "table";
};

#if MANSARD_HAVE_CUPTI

analysis::Column column(const char* key, const char* label,
                        analysis::CellFormat format = analysis::CellFormat::text) {
  analysis::Column c;
  c.key = key;
  c.label = label;
  c.format = format;
  return c;
}

bool has(const collector::ChipCounters& chip, std::string_view metric) {
  return std::any_of(
      chip.groups.begin(), chip.groups.end(), [&](const collector::CounterGroup& group) {
        return std::find(group.metrics.begin(), group.metrics.end(), metric) != group.metrics.end();
      });
}

void append(std::string& text, std::string_view word) {
  text += text.empty() ? "" : ", ";
  text += word;
}

// The memory tiers for which all counters are read.
std::string tiers(const collector::ChipCounters& chip) {
  std::string text;
  for (const MemoryLevelInfo& level : kMemoryLevels) {
    const auto terms =
        counter_terms(counter_expression(level.id, chip.compute_capability.value_or(0)));
    const bool all = std::all_of(terms.begin(), terms.end(),
                                 [&](const CounterTerm& term) { return has(chip, term.metric); });
    if (all && !terms.empty()) append(text, level.label);
  }
  return text;
}

std::string precisions(const collector::ChipCounters& chip, FlopUnit unit) {
  std::set<Precision> counted;
  for (const FlopCounter& counter : kFlopCounters) {
    if (counter.unit == unit && has(chip, counter.metric)) counted.insert(counter.precision);
  }
  std::string text;
  for (const Precision precision : counted) {
    append(text, precision == Precision::fp8_e4m3 ? "FP8" : info(precision).label);
  }
  return text;
}

// One row per chip: the passes of each counter group, and what the counters cover.
analysis::Table chip_table(const std::vector<collector::ChipCounters>& all) {
  analysis::Table table{"chips", "Counters by chip", {}, {}};
  table.columns = {column("chip", "Chip"),
                   column("compute_capability", "CC"),
                   column("passes", "Passes per group"),
                   column("tiers", "Memory tiers"),
                   column("tensor_cores", "Tensor Core precisions"),
                   column("cuda_cores", "CUDA core precisions")};
  for (const collector::ChipCounters& c : all) {
    std::string passes;
    for (const collector::CounterGroup& group : c.groups) {
      passes += (passes.empty() ? "" : " ") + std::to_string(group.passes);
    }
    const int cc = c.compute_capability.value_or(0);
    const analysis::Cell capability =
        cc > 0 ? analysis::Cell(std::to_string(cc / 10) + "." + std::to_string(cc % 10))
               : analysis::Cell();
    table.rows.push_back({c.chip, capability, passes, tiers(c),
                          precisions(c, FlopUnit::tensor_core),
                          precisions(c, FlopUnit::cuda_core)});
  }
  return table;
}

analysis::Table metric_table(const collector::ChipCounters& chip) {
  analysis::Table table{"metrics", "Counters of " + chip.chip, {}, {}};
  table.columns = {column("group", "Group", analysis::CellFormat::count),
                   column("passes", "Passes", analysis::CellFormat::count),
                   column("metric", "Metric")};
  for (std::size_t i = 0; i < chip.groups.size(); ++i) {
    for (const std::string& metric : chip.groups[i].metrics) {
      table.rows.push_back({static_cast<std::int64_t>(i + 1),
                            static_cast<std::int64_t>(chip.groups[i].passes), metric});
    }
  }
  for (const std::string& metric : chip.unavailable) {
    table.rows.push_back({analysis::Cell(), analysis::Cell(), metric});
  }
  return table;
}

int run_counters(const CountersOptions& options) {
  const std::vector<collector::ChipCounters> all =
      collector::describe_counters(options.set, options.chip);
  analysis::Finding finding;
  finding.id = "counters";
  finding.tables.push_back(options.chip.empty() ? chip_table(all) : metric_table(all.at(0)));
  std::cout << reports::render({finding}, format_of(options.format), render_options());
  suggest_next("mansard profile --counters " + options.set + " -- PROGRAM");
  return exit_ok;
}

#else

int run_counters(const CountersOptions&) {
  throw std::runtime_error(
      "this build has no CUPTI, which lists the counters; rebuild with the CUDA toolkit");
}

#endif

std::function<int()> declare_counters(CLI::App& app) {
  auto options = std::make_shared<CountersOptions>();
  app.add_option(
         "--set", options->set,
         "auto, roofline, full, or comma-separated metrics, as for 'mansard profile --counters'")
      ->capture_default_str();
  app.add_option("--chip", options->chip,
                 "List every metric of this chip (GH100: H100, H200; GB100: B200)");
  add_format_option(app, options->format);
  return [options] {
    collector::RecordingOptions recording;
    recording.counters = options->set;
    try {
      check(recording);
    } catch (const std::invalid_argument& error) {
      throw UsageError(error.what());
    }
    return run_counters(*options);
  };
}

}  // namespace

void register_counters(CommandRegistry& registry) {
  registry.add(
      {.name = "counters",
       .summary = "Show the hardware counters that 'profile --counters' reads on each chip",
       .order = 27,
       .declare = declare_counters});
}

}  // namespace mansard::cli
