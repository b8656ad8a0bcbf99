// SPDX-License-Identifier: Apache-2.0
#include "reports/web/html.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "reports/formats/writers.h"
#include "support/text.h"

namespace mansard::reports {
namespace {

// Longer tables scroll in a frame of fixed height, so that browsers lay them out only in view.
constexpr std::size_t kLongTable = 40;  // rows
constexpr int kMaxTextWidth = 52;       // characters; titles and copies have the full text

std::string attribute(std::string_view name, std::string_view value) {
  return ' ' + std::string(name) + "=\"" + escape_html(value) + '"';
}

// The unrounded number as the shortest text that parses to the same double; empty for text cells.
std::string raw_number(const analysis::Cell& cell) {
  if (const auto* integer = std::get_if<std::int64_t>(&cell)) return std::to_string(*integer);
  const auto* number = std::get_if<double>(&cell);
  if (!number || !std::isfinite(*number)) return {};
  std::array<char, 32> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), *number).ptr;
  return {buffer.data(), end};
}

std::string header_cell(const analysis::Column& column, bool sorted) {
  std::string html = "<th scope=\"col\"";
  if (sorted) html += " aria-sort=\"descending\"";
  if (right_aligned(column)) html += " class=\"n\"";
  html += attribute("data-key", column.key);
  if (!column.description.empty()) html += attribute("title", column.description);
  return html + '>' + escape_html(column.label) + "</th>";
}

// `part`: of the largest value of the column, drawn as a bar; 0: none.
std::string body_cell(const analysis::Cell& cell, const analysis::Column& column,
                      std::string_view tag, std::string_view mark, double part,
                      std::string_view link) {
  const std::string text = one_line(analysis::format_cell(cell, column));
  std::string html = '<' + std::string(tag);
  if (right_aligned(column)) html += attribute("data-v", raw_number(cell));
  if (const auto percent = std::lround(100 * part); percent > 0) {
    html += " style=\"--part:" + std::to_string(percent) + "%\"";
  }
  const std::string fitted = truncate_middle(text, kMaxTextWidth);
  // The title has the full name, which the script uses to sort, filter and copy.
  if (fitted != text) html += attribute("title", text);
  html += '>';
  html += mark;
  const std::string shown = escape_html(fitted);
  html += (link.empty() ? shown : "<a" + attribute("href", link) + '>' + shown + "</a>") + "</" +
          std::string(tag.substr(0, tag.find(' '))) + '>';
  return html;
}

// The largest value of a column; 0 if there is none.
double largest_value(const analysis::Table& table, std::size_t column) {
  double largest = 0;
  for (const std::vector<analysis::Cell>& row : table.rows) {
    const auto* value = std::get_if<double>(&row.at(column));
    if (value != nullptr) largest = std::max(largest, *value);
  }
  return largest;
}

}  // namespace

std::string html_table(const analysis::Table& table, const HtmlTableOptions& options,
                       std::vector<PageFigure>* figures) {
  std::string html = options.chart ? html_chart(table, figures) : std::string();
  const std::size_t shown =
      shown_rows(table.rows.size(), {.width = 0, .max_rows = static_cast<int>(options.max_rows)});
  html += std::string("<div class=\"scroll") + (shown > kLongTable ? " long" : "") +
          "\" tabindex=\"0\" role=\"region\"" + attribute("aria-label", table.title) + "><table";
  if (!options.element_id.empty()) html += attribute("id", options.element_id);
  if (options.interactive) html += " data-interactive";
  html += attribute("data-name", table.id) + "><thead><tr>";
  std::vector<double> largest(table.columns.size());  // 0: no bars
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const analysis::Column& column = table.columns[i];
    html += header_cell(column, column.key == options.sorted_key);
    if (column.key == options.bar_key) largest[i] = largest_value(table, i);
  }
  html += "</tr></thead>\n<tbody>\n";
  for (std::size_t r = 0; r < shown; ++r) {
    html += "<tr data-row=\"" + std::to_string(table.link(r).row.value_or(r)) + "\">";
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      const analysis::Cell cell = i < table.rows[r].size() ? table.rows[r][i] : analysis::Cell{};
      const bool marked = i == 0 && r < options.row_marks.size();
      const auto* value = std::get_if<double>(&cell);
      html += body_cell(cell, table.columns[i], i == 0 ? "th scope=\"row\"" : "td",
                        marked ? options.row_marks[r] : std::string(),
                        value != nullptr && largest[i] > 0 ? *value / largest[i] : 0,
                        i == 0 && r < options.row_links.size() ? options.row_links[r] : "");
    }
    html += "</tr>\n";
  }
  html += "</tbody></table></div>\n";
  const std::string rest = left_out_line(table.rows.size(), shown);
  if (!rest.empty()) html += "<p class=\"muted\">" + escape_html(rest) + "</p>\n";
  return html;
}

std::string html_result(const analysis::Table& table, const HtmlTableOptions& options,
                        std::vector<PageFigure>* figures) {
  const bool lines = table.chart && table.chart->kind == analysis::ChartKind::lines;
  const std::string chart = lines ? html_chart(table, figures) : std::string();
  if (chart.empty()) return html_table(table, options, figures);
  HtmlTableOptions rows = options;
  rows.chart = false;
  return chart + "<details><summary><span>Values</span></summary>\n" + html_table(table, rows) +
         "</details>\n";
}

std::string html_notes(const std::vector<std::string>& notes) {
  if (notes.empty()) return {};
  std::string list;
  for (const std::string& note : notes) list += "<li>" + escape_html(note) + "</li>\n";
  list = "<ul role=\"note\" aria-label=\"Notes\">\n" + list + "</ul>\n";
  if (notes.size() == 1) return list;
  // Shows one line, so that the summary stays on the first screen. A click opens all notes.
  return "<details class=\"notes\"><summary><span>" + std::to_string(notes.size()) +
         " notes</span> " + escape_html(notes.front()) + "</summary>\n" + list + "</details>\n";
}

std::string script_safe_json(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  for (const char c : json) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

std::string html_fact(std::string_view name, std::string_view value) {
  if (value.empty()) return {};
  return "<div><dt>" + escape_html(name) + "</dt><dd>" + escape_html(value) + "</dd></div>\n";
}

std::string html_quantity(std::string_view text) {
  std::string html;
  for (const char c : escape_html(text)) {
    if (c == ' ') {
      html += "&nbsp;";
    } else {
      html += c;
    }
  }
  return html;
}

std::string rounded_percent(double fraction) {
  if (!std::isfinite(fraction)) return "n/a";
  char text[32];
  std::snprintf(text, sizeof text, 100 * fraction < 9.95 ? "%.1f %%" : "%.0f %%", 100 * fraction);
  return text;
}

}  // namespace mansard::reports
