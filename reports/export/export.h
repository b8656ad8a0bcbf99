// SPDX-License-Identifier: Apache-2.0
// A recording and its analysis for other tools: one file here for each target. Traces and tables
// are made row by row, in memory that does not grow with the file.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/classify/kernel_rules.h"
#include "analyzer/run_analysis.h"
#include "collector/store/host_names.h"
#include "reports/export/byte_sink.h"

namespace mansard::reports {

struct ExportInput {
  const analysis::RunAnalysis& run;
  store::HostNames names = {};
  std::string command = {};  // that makes the export, for its provenance
  const analysis::KernelRules* rules =
      nullptr;  // by which the run was analyzed; nullptr: the built-in ones
};

// What a trace could not show.
struct TimelineLosses {
  std::int64_t without_times = 0;  // device activities and calls whose time stamps were lost
};

// Chrome's trace events in JSON, in the fields of PyTorch's profiler where it has them, so that
// `mansard import` and tools for those traces read it.
TimelineLosses export_chrome(const ExportInput& input, ByteSink& sink);

// Perfetto's own format: a stream of TracePackets.
TimelineLosses export_perfetto(const ExportInput& input, ByteSink& sink);

enum class ExportTable { launches, kernels, ranges, copies, api };
std::optional<ExportTable> parse_export_table(std::string_view key);
std::vector<std::string> csv_table_keys();

// One table with one header row; times in nanoseconds since the session's start.
void export_csv(const ExportInput& input, ExportTable table, ByteSink& sink);

// The findings of all analyses, and the notes: what `mansard analyze --format json` prints.
void export_json(const ExportInput& input, ByteSink& sink);

// A copy of the recording's database as one file, with the analysis' rows in MANSARD_KERNEL_ROWS
// and its neighbors. `output` appears when it is whole; what was there is replaced. Throws
// std::runtime_error when the recording is still being written.
void export_sqlite(const ExportInput& input, const std::filesystem::path& output);

}  // namespace mansard::reports
