// SPDX-License-Identifier: Apache-2.0
// Quoting of RFC 4180, with the line ends of Unix: awk and cut would otherwise see a stray CR.
#include <array>
#include <charconv>
#include <cmath>

#include "reports/formats/text.h"
#include "reports/formats/writers.h"

namespace mansard {
namespace {

std::string value_of(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return csv_field(*text);
  if (const auto* integer = std::get_if<std::int64_t>(&cell)) return std::to_string(*integer);
  if (const auto* number = std::get_if<double>(&cell)) return csv_number(*number);
  return {};
}

}  // namespace

std::string csv_field(std::string_view text) {
  std::string content = safe_lines(text);
  // A spreadsheet would take it for a formula, which can run programs and send data away:
  // https://owasp.org/www-community/attacks/CSV_Injection
  constexpr std::string_view kFormula = "=+-@\t";
  if (content.size() > 1 && kFormula.find(content.front()) != kFormula.npos) {
    content.insert(0, 1, '\'');
  }
  // A leading '#' is quoted too, so that no row is taken for a table's "# id" line.
  const bool plain =
      content.find_first_of(",\"\r\n") == std::string::npos && !content.starts_with('#');
  if (plain) return content;
  std::string out = "\"";
  for (const char c : content) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

std::string csv_number(double number) {
  if (!std::isfinite(number)) return {};
  // The shortest text that reads back as the same double.
  std::array<char, 32> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number).ptr;
  return {buffer.data(), end};
}

std::string csv_rows(const Table& table) {
  std::string out;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (i > 0) out += ',';
    out += csv_field(table.columns[i].key);
  }
  out += '\n';
  for (const std::vector<Cell>& row : table.rows) {
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      if (i > 0) out += ',';
      if (i < row.size()) out += value_of(row[i]);
    }
    out += '\n';
  }
  return out;
}

namespace {

// What stands before a table's id: of the finding "run2.kernels" "run2.", and else nothing.
std::string prefix_of(const Finding& finding) {
  return finding.id.substr(0, finding.id.rfind('.') + 1);
}

}  // namespace

std::string to_csv(const std::vector<Finding>& findings) {
  std::string out;
  for (const Finding& finding : findings) {
    for (const Table& table : finding.tables) {
      if (!out.empty()) out += '\n';
      out += "# " + one_line(prefix_of(finding) + table.id) + '\n' + csv_rows(table);
    }
  }
  return out;
}

}  // namespace mansard
