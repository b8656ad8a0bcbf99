// SPDX-License-Identifier: Apache-2.0
// Minimal readers of the output formats, written from the definitions of the formats.
#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "support/csv.h"

namespace mansard::readers {

using Grid = std::vector<std::vector<std::string>>;

inline Grid read_csv(std::string_view text) {
  Grid grid;
  while (!text.empty()) grid.push_back(next_csv_record(text));
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

// The tables of a page in order: name, and for each body cell data-v (the unrounded number) if
// present, else the title (full name) if present, else the text with resolved character references.
struct HtmlTable {
  std::string name;
  Grid rows;
};
std::vector<HtmlTable> html_tables(const std::string& page);

}  // namespace mansard::readers
