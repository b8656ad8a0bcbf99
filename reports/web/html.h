// SPDX-License-Identifier: Apache-2.0
// HTML of common elements of the page. Text from profiles is escaped with escape_html().
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analyzer/table.h"
#include "reports/web/figure_html.h"
#include "support/text.h"

namespace mansard::reports {

struct HtmlTableOptions {
  std::string element_id = {};              // empty: none
  bool interactive = false;                 // enables sorting, filtering and copying in the script
  std::size_t max_rows = 0;                 // 0: all; omitted rows are counted below the table
  std::vector<std::string> row_marks = {};  // HTML in front of each row's first cell
  std::vector<std::string> row_links = {};  // link of each row's first cell: "#run2"
  bool chart = true;                        // shows the table's chart above it
  std::string sorted_key = {};  // column by which the rows are sorted, largest first; empty: none
  std::string bar_key = {};     // column whose cells show their part of the largest value as a bar
};

// Cells have the unrounded number in data-v, used for sorting and copying. The chart above the
// table is added to `figures` if given.
std::string html_table(const analysis::Table& table, const HtmlTableOptions& options = {},
                       std::vector<PageFigure>* figures = nullptr);

// As html_table(), but the rows of a chart of lines, often one per step, are collapsed below it.
std::string html_result(const analysis::Table& table, const HtmlTableOptions& options,
                        std::vector<PageFigure>* figures);

// A list of notes (caveats); empty if there are none.
std::string html_notes(const std::vector<std::string>& notes);

// Escapes `json` for a <script type="application/json">: without '<' nothing can close the element.
std::string script_safe_json(std::string_view json);

// A <dt>/<dd> pair; empty if `value` is.
std::string html_fact(std::string_view name, std::string_view value);

// escape_html() of a quantity, without a line break between number and unit.
std::string html_quantity(std::string_view text);

// Formats a percentage without decimals: "38 %".
std::string rounded_percent(double fraction);

}  // namespace mansard::reports
