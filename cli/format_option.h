// SPDX-License-Identifier: Apache-2.0
// The --format option of all commands that print findings.
#pragma once

#include <algorithm>
#include <string>

#include <CLI/CLI.hpp>

#include "cli/command.h"
#include "cli/output.h"
#include "reports/formats/format.h"
#include "reports/formats/overview.h"

namespace mansard::cli {

inline void add_format_option(CLI::App& app, std::string& format) {
  app.add_option("--format", format, "Output format")
      ->check(CLI::IsMember({"table", "json", "csv", "md", "html"}))
      ->capture_default_str();
}

// Options for rendering to standard output.
inline reports::RenderOptions render_options(int max_rows = 0) {
  return {.width = output_width(), .max_rows = max_rows, .command = invocation()};
}

// Whether a command with --all prints its overview, which fits a screen. Formats other than table
// are for programs, which select from all results.
inline bool prints_overview(reports::Format format, bool all) {
  return format == reports::Format::table && !all;
}

inline void fit_overview(reports::RenderOptions& options) {
  options.width = std::min(options.width, reports::kOverviewWidth);
}

// `key` must be a value that add_format_option() accepted.
inline reports::Format format_of(const std::string& key) { return *reports::parse_format(key); }

}  // namespace mansard::cli
