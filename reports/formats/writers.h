// SPDX-License-Identifier: Apache-2.0
// One function a format, each in the file of its name; callers use render() of format.h.
#pragma once

#include <string>
#include <vector>

#include "reports/formats/format.h"

namespace mansard::reports {

std::string to_text_table(const std::vector<analysis::Finding>& findings,
                          const RenderOptions& options);
std::string to_json(const std::vector<analysis::Finding>& findings);
std::string to_csv(const std::vector<analysis::Finding>& findings);
std::string to_markdown(const std::vector<analysis::Finding>& findings,
                        const RenderOptions& options);
std::string to_html(const std::vector<analysis::Finding>& findings, const RenderOptions& options);

// The header and rows of one table.
std::string csv_rows(const analysis::Table& table);

// How a column's values are aligned: numbers by their last digit.
inline bool right_aligned(const analysis::Column& column) {
  return column.format != analysis::CellFormat::text;
}

// Of `rows`, how many to print, and the line that says what was left out (empty: nothing was).
std::size_t shown_rows(std::size_t rows, const RenderOptions& options);
std::string left_out_line(std::size_t rows, std::size_t shown);

}  // namespace mansard::reports
