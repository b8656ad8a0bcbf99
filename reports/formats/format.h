// SPDX-License-Identifier: Apache-2.0
// Renders findings as text, JSON, CSV, Markdown or an HTML page.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/run_analysis.h"

namespace mansard::reports {

enum class Format { table, json, csv, markdown, html };
std::optional<Format> parse_format(std::string_view key);  // table, json, csv, md, html

struct RenderOptions {
  int width = 100;           // table: columns of the terminal
  int max_rows = 0;          // table, markdown: 0 is all; a last line counts omitted rows
  std::string command = {};  // html: command line that wrote the page
};

// JSON: {"schema_version": 3, "findings": [{id, title, summary, tables: [{id, title, columns:
// [{key, label, unit, format}], rows: [{key: value}]}]}]} with numbers in base units and null for
// unknown values. CSV: one table after another, each with a "# id" line before its header row.
// HTML: a self-contained page (reports/report.h).
std::string render(const std::vector<analysis::Finding>& findings, Format format,
                   const RenderOptions& options = {});

}  // namespace mansard::reports
