// SPDX-License-Identifier: Apache-2.0
// The --format option of all commands that print findings.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include "cli/command.h"
#include "cli/output.h"
#include "reports/formats/format.h"

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

// `key` must be a value that add_format_option() accepted.
inline reports::Format format_of(const std::string& key) { return *reports::parse_format(key); }

}  // namespace mansard::cli
