// SPDX-License-Identifier: Apache-2.0
#include "reports/formats/writers.h"
#include "support/csv.h"
#include "support/text.h"

namespace mansard::reports {
namespace {

std::string value_of(const analysis::Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return csv_field(*text);
  if (const auto* integer = std::get_if<std::int64_t>(&cell)) return std::to_string(*integer);
  if (const auto* number = std::get_if<double>(&cell)) return csv_number(*number);
  return {};
}

}  // namespace

std::string csv_rows(const analysis::Table& table) {
  std::string out;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (i > 0) out += ',';
    out += csv_field(table.columns[i].key);
  }
  out += '\n';
  for (const std::vector<analysis::Cell>& row : table.rows) {
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      if (i > 0) out += ',';
      if (i < row.size()) out += value_of(row[i]);
    }
    out += '\n';
  }
  return out;
}

namespace {

// The prefix of a table's id: "run2." for the finding "run2.kernels", else empty.
std::string prefix_of(const analysis::Finding& finding) {
  return finding.id.substr(0, finding.id.rfind('.') + 1);
}

}  // namespace

std::string to_csv(const std::vector<analysis::Finding>& findings) {
  std::string out;
  for (const analysis::Finding& finding : findings) {
    for (const analysis::Table& table : finding.tables) {
      if (!out.empty()) out += '\n';
      out += "# " + one_line(prefix_of(finding) + table.id) + '\n' + csv_rows(table);
    }
  }
  return out;
}

}  // namespace mansard::reports
