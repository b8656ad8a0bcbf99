// SPDX-License-Identifier: Apache-2.0
// One function per format, each in a file of its name. Callers use render() of format.h.
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

// Whether a column is right-aligned: numbers are.
inline bool right_aligned(const analysis::Column& column) {
  return column.format != analysis::CellFormat::text;
}

// The number of rows to print, and the line that counts the omitted ones (empty if there are none).
std::size_t shown_rows(std::size_t rows, const RenderOptions& options);
std::string left_out_line(std::size_t rows, std::size_t shown);

}  // namespace mansard::reports
