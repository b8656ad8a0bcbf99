// SPDX-License-Identifier: Apache-2.0
// Exports a profile and its analysis for other tools, with one source file per format. Traces and
// tables are written row by row, in constant memory.
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
  std::string command = {};  // command line of the export, for its provenance
  const analysis::KernelRules* rules =
      nullptr;  // classification rules of the analysis; nullptr: built-in
};

// Records that a trace could not include.
struct TimelineLosses {
  std::int64_t without_times = 0;  // device activities and API calls with lost timestamps
};

// Chrome trace events in JSON, with the field names of the PyTorch profiler where possible, so that
// `mansard import` and tools for PyTorch traces can read it.
TimelineLosses export_chrome(const ExportInput& input, ByteSink& sink);

// Perfetto's native format: a stream of TracePackets.
TimelineLosses export_perfetto(const ExportInput& input, ByteSink& sink);

enum class ExportTable { launches, kernels, ranges, memory_operations, api };
std::optional<ExportTable> parse_export_table(std::string_view key);
std::vector<std::string> csv_table_keys();

// One table with a header row; times are nanoseconds since the start of the session.
void export_csv(const ExportInput& input, ExportTable table, ByteSink& sink);

// The findings of all analyses and the notes: the output of `mansard analyze --format json`.
void export_json(const ExportInput& input, ByteSink& sink);

// A copy of the profile database as one file, with the analysis in MANSARD_KERNEL_ROWS and related
// tables. `output` is created or replaced only when complete. Throws std::runtime_error if the
// profile is still being written.
void export_sqlite(const ExportInput& input, const std::filesystem::path& output);

}  // namespace mansard::reports
