// SPDX-License-Identifier: Apache-2.0
#include "tests/reports/format_readers.h"

#include <array>
#include <utility>

namespace mansard::readers {
namespace {

std::string unescaped(std::string_view html) {
  constexpr std::array<std::pair<std::string_view, char>, 5> kReferences = {
      {{"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&#39;", '\''}, {"&amp;", '&'}}};
  std::string out;
  while (!html.empty()) {
    bool found = false;
    for (const auto& [reference, character] : kReferences) {
      if (!html.starts_with(reference)) continue;
      out += character;
      html.remove_prefix(reference.size());
      found = true;
      break;
    }
    if (found) continue;
    out += html.front();
    html.remove_prefix(1);
  }
  return out;
}

// The text between `from` and the next `to`; moves `at` to its end. Empty at the end.
std::string_view between(std::string_view text, std::size_t& at, std::string_view from,
                         std::string_view to) {
  const std::size_t start = text.find(from, at);
  if (start == std::string_view::npos) {
    at = text.size();
    return {};
  }
  const std::size_t end = text.find(to, start + from.size());
  at = end == std::string_view::npos ? text.size() : end + to.size();
  return text.substr(start + from.size(), end - start - from.size());
}

std::string attribute(std::string_view tag, std::string_view name) {
  std::size_t at = 0;
  return unescaped(between(tag, at, ' ' + std::string(name) + "=\"", "\""));
}

std::string without_tags(std::string_view html) {
  std::string out;
  bool inside = false;
  for (const char c : html) {
    if (c == '<') inside = true;
    if (!inside) out += c;
    if (c == '>') inside = false;
  }
  return unescaped(out);
}

std::vector<std::string> cells_of(std::string_view row) {
  std::vector<std::string> cells;
  for (std::size_t at = row.find("<t"); at != std::string_view::npos; at = row.find("<t", at)) {
    const std::string_view name = row.substr(at + 1, 2);
    const std::size_t close = row.find('>', at);
    const std::string_view tag = row.substr(at, close - at);
    const std::size_t end = row.find("</" + std::string(name) + '>', close);
    const auto has = [&](std::string_view attribute) {
      return tag.find(attribute) != std::string_view::npos;
    };
    cells.push_back(has(" data-v=\"")  ? attribute(tag, "data-v")
                    : has(" title=\"") ? attribute(tag, "title")
                                       : without_tags(row.substr(close + 1, end - close - 1)));
    at = end;
  }
  return cells;
}

}  // namespace

std::vector<HtmlTable> html_tables(const std::string& page) {
  std::vector<HtmlTable> tables;
  for (std::size_t at = page.find("<table"); at != std::string::npos;
       at = page.find("<table", at)) {
    const std::size_t end = page.find("</table>", at);
    const std::string_view table = std::string_view(page).substr(at, end - at);
    at = end;
    HtmlTable read;
    read.name = attribute(table.substr(0, table.find('>')), "data-name");
    std::size_t body = table.find("<tbody>");
    while (body < table.size()) {
      const std::string_view row = between(table, body, "<tr", "</tr>");
      if (!row.empty()) read.rows.push_back(cells_of(row.substr(row.find('>'))));
    }
    tables.push_back(std::move(read));
  }
  return tables;
}

}  // namespace mansard::readers
