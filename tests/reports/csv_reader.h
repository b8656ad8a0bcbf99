// SPDX-License-Identifier: Apache-2.0
// RFC 4180, by the book: quotes double inside quotes, line ends inside quotes belong to the field.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mansard::test {

using Grid = std::vector<std::vector<std::string>>;

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

}  // namespace mansard::test
