// SPDX-License-Identifier: Apache-2.0
// Small readers of what the formats write, each after its format's own definition.
#pragma once

#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace mansard::readers {

using Grid = std::vector<std::vector<std::string>>;

// RFC 4180, by the book: quotes double inside quotes, line ends inside quotes belong to the field.
inline Grid read_csv(std::string_view text) {
  Grid grid(1);
  std::string field;
  bool inside = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (inside) {
      if (c == '"' && i + 1 < text.size() && text[i + 1] == '"') {
        field += '"';
        ++i;
      } else if (c == '"') {
        inside = false;
      } else {
        field += c;
      }
    } else if (c == '"') {
      inside = true;
    } else if (c == ',' || c == '\n') {
      grid.back().push_back(std::move(field));
      field.clear();
      if (c == '\n') grid.emplace_back();
    } else {
      field += c;
    }
  }
  grid.pop_back();
  return grid;
}

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// Cells of a Markdown row, unescaped.
inline std::vector<std::string> markdown_cells(const std::string& line) {
  std::vector<std::string> cells;
  std::string cell;
  for (std::size_t i = 1; i < line.size(); ++i) {
    if (line[i] == '\\' && i + 1 < line.size()) {
      cell += line[++i];
    } else if (line[i] == '|') {
      cells.push_back(cell.substr(1, cell.size() - 2));
      cell.clear();
    } else {
      cell += line[i];
    }
  }
  return cells;
}

// Tables of a page, in its order: of each its name and, of each body cell, data-v where it has one
// (the unrounded number), else its text with character references resolved.
struct HtmlTable {
  std::string name;
  Grid rows;
};
std::vector<HtmlTable> html_tables(const std::string& page);

}  // namespace mansard::readers
