// SPDX-License-Identifier: Apache-2.0
#include "reports/web/ledger_html.h"

#include <algorithm>
#include <stdexcept>

#include "analyzer/explain/ledger.h"
#include "reports/formats/writers.h"
#include "reports/web/html.h"

namespace mansard::reports {
namespace {

std::size_t column_of(const analysis::Table& table, std::string_view key) {
  const auto found = std::ranges::find(table.columns, key, &analysis::Column::key);
  if (found == table.columns.end()) {
    throw std::logic_error("table '" + table.id + "' has no column '" + std::string(key) + "'");
  }
  return static_cast<std::size_t>(found - table.columns.begin());
}

// Rows of the ledger, with those that are summed up in the last one.
std::size_t entries_of(const analysis::Table& parts) {
  std::size_t entries = 0;
  for (std::size_t i = 0; i < parts.rows.size(); ++i) entries += parts.link(i).entries;
  return entries;
}

// A line that is what it is made of, such as "memcpy and memset", has nothing to open.
bool says_more(const analysis::Table& parts, const std::string& name) {
  return parts.rows.size() > 1 ||
         (parts.rows.size() == 1 && parts.rows.front().front() != analysis::Cell(name));
}

std::string meaning_cell(const std::string& meaning, const analysis::Table& parts,
                         const std::string& name) {
  if (!says_more(parts, name)) return "<td>" + escape_html(meaning) + "</td>";
  const std::size_t count = entries_of(parts);
  return "<td><details><summary>" + escape_html(meaning) + " (" + std::to_string(count) +
         (count == 1 ? " kernel" : " kernels") + ")</summary>\n" + html_table(parts) +
         "</details></td>";
}

}  // namespace

std::string html_ledger(const analysis::Table& lines, const analysis::Table& kernels,
                        const std::vector<std::string_view>& columns) {
  std::string html = "<div class=\"scroll whole\" tabindex=\"0\" role=\"region\" aria-label=\"" +
                     escape_html(lines.title) + "\"><table class=\"ledger\"><thead><tr>";
  for (const std::string_view key : columns) {
    const analysis::Column& column = lines.columns[column_of(lines, key)];
    html += std::string("<th scope=\"col\"") + (right_aligned(column) ? " class=\"n\"" : "") +
            " title=\"" + escape_html(column.description) + "\">" + escape_html(column.label) +
            "</th>";
  }
  html += "<th scope=\"col\">what is counted</th></tr></thead>\n<tbody>\n";
  const std::size_t id = column_of(lines, "id");
  const std::size_t meaning = column_of(lines, "meaning");
  for (std::size_t r = 0; r < lines.rows.size(); ++r) {
    const std::vector<analysis::Cell>& row = lines.rows[r];
    const bool end = r == 0 || r + 1 == lines.rows.size();
    html += end ? "<tr class=\"end\">" : "<tr>";
    std::string name;
    for (const std::string_view key : columns) {
      const std::size_t at = column_of(lines, key);
      const std::string text = analysis::format_cell(row[at], lines.columns[at]);
      if (key == columns.front()) {
        name = text;
        html += "<th scope=\"row\">" + escape_html(text) + "</th>";
      } else {
        html += "<td class=\"n\">" + escape_html(text) + "</td>";
      }
    }
    html += meaning_cell(analysis::format_cell(row[meaning], lines.columns[meaning]),
                         analysis::kernels_of_line(kernels, row[id], name), name) +
            "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

}  // namespace mansard::reports
