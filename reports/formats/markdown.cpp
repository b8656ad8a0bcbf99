// SPDX-License-Identifier: Apache-2.0
// GitHub Markdown tables, one row per line.
#include "reports/formats/writers.h"
#include "support/text.h"

namespace mansard::reports {
namespace {

bool is_word(char c) {
  const auto u = static_cast<unsigned char>(c);
  return (u >= '0' && u <= '9') || (u >= 'A' && u <= 'Z') || (u >= 'a' && u <= 'z') || u >= 0x80;
}

// Escapes names: `vector<float>` must not become a tag, nor `**p` bold. CommonMark does not treat
// an underscore inside a word as emphasis, so most kernel names stay readable in the source.
std::string escaped(std::string_view text) {
  const std::string line = one_line(text);
  std::string out;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    const bool inside_word =
        i > 0 && i + 1 < line.size() && is_word(line[i - 1]) && is_word(line[i + 1]);
    const bool special = std::string_view("\\`*[]<>|&~$").find(c) != std::string_view::npos;
    if (special || (c == '_' && !inside_word)) out += '\\';
    out += c;
  }
  return out;
}

// Titles and summaries start a line, where more characters are special.
std::string escaped_line(std::string_view text) {
  std::string out = escaped(text);
  if (!out.empty() && std::string_view("#+-=").find(out[0]) != std::string_view::npos) {
    out.insert(0, 1, '\\');
  }
  return out;
}

void append_markdown_table(std::string& out, const analysis::Table& table,
                           const RenderOptions& options) {
  for (const analysis::Column& column : table.columns) out += "| " + escaped(column.label) + ' ';
  out += "|\n";
  for (const analysis::Column& column : table.columns)
    out += right_aligned(column) ? "|---:" : "|---";
  out += "|\n";
  const std::size_t shown = shown_rows(table.rows.size(), options);
  for (std::size_t r = 0; r < shown; ++r) {
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      const analysis::Cell cell = i < table.rows[r].size() ? table.rows[r][i] : analysis::Cell{};
      out += "| " + escaped(analysis::format_cell(cell, table.columns[i])) + ' ';
    }
    out += "|\n";
  }
  const std::string rest = left_out_line(table.rows.size(), shown);
  if (!rest.empty()) out += '\n' + rest + '\n';
}

}  // namespace

std::string to_markdown(const std::vector<analysis::Finding>& findings,
                        const RenderOptions& options) {
  std::string out;
  for (const analysis::Finding& finding : findings) {
    if (!out.empty()) out += '\n';
    out += "## " + escaped(finding.title) + "\n";
    if (!finding.summary.empty()) out += '\n' + escaped_line(finding.summary) + '\n';
    for (const analysis::Table& table : finding.tables) {
      if (!table.title.empty()) out += "\n### " + escaped(table.title) + '\n';
      out += '\n';
      append_markdown_table(out, table, options);
    }
  }
  return out;
}

}  // namespace mansard::reports
