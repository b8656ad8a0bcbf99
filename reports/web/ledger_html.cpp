// SPDX-License-Identifier: Apache-2.0
#include "reports/web/ledger_html.h"

#include "reports/formats/writers.h"
#include "reports/web/html.h"

namespace mansard::reports {
namespace {

using analysis::LedgerLine;

// A line whose only detail is the line itself, such as "memcpy and memset", has nothing to expand.
bool says_more(const LedgerLine& line) {
  return line.details.size() > 1 ||
         (line.details.size() == 1 && line.details.front().label != line.label);
}

std::string meaning_cell(const analysis::Ledger& ledger, const analysis::LedgerRow& row,
                         std::size_t details) {
  const std::string meaning = escape_html(row.meaning);
  if (!row.line || !says_more(*row.line)) return "<td>" + meaning + "</td>";
  const std::size_t count = row.line->details.size();
  return "<td><details><summary>" + meaning + " (" + std::to_string(count) +
         (count == 1 ? " kernel" : " kernels") + ")</summary>\n" +
         html_table(analysis::kernels_of_line(ledger, *row.line, details)) + "</details></td>";
}

}  // namespace

std::string html_ledger(const analysis::Ledger& ledger, std::size_t details,
                        const std::vector<std::string>& keys) {
  const auto columns = analysis::choose(analysis::ledger_columns(ledger), keys);
  std::string html = "<div class=\"scroll whole\" tabindex=\"0\" role=\"region\" aria-label=\"" +
                     escape_html(analysis::ledger_title(ledger)) +
                     "\"><table class=\"ledger\"><thead><tr>";
  for (const auto& [column, value] : columns) {
    html += std::string("<th scope=\"col\"") + (right_aligned(column) ? " class=\"n\"" : "") +
            " title=\"" + escape_html(column.description) + "\">" + escape_html(column.label) +
            "</th>";
  }
  html += "<th scope=\"col\">what is counted</th></tr></thead>\n<tbody>\n";
  for (const analysis::LedgerRow& row : analysis::ledger_rows(ledger)) {
    html += row.line ? "<tr>" : "<tr class=\"end\">";
    for (const auto& [column, value] : columns) {
      const std::string text = escape_html(analysis::format_cell(value(row), column));
      html += column.key == keys.front() ? "<th scope=\"row\">" + text + "</th>"
                                         : "<td class=\"n\">" + text + "</td>";
    }
    html += meaning_cell(ledger, row, details) + "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

}  // namespace mansard::reports
