// SPDX-License-Identifier: Apache-2.0
// HTML of the page's recurring parts. Text that comes from a profile passes escape_html().
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
  bool interactive = false;                 // the script may sort, filter and copy it
  std::size_t max_rows = 0;                 // 0: all; what is left out is counted under the table
  std::vector<std::string> row_marks = {};  // HTML in front of each row's first cell
  bool chart = true;                        // above it, where the table has one
};

// Numbers carry their unrounded value in data-v, which is what sorting and copying use.
// A chart above the table is added to `figures` if given.
std::string html_table(const analysis::Table& table, const HtmlTableOptions& options = {},
                       std::vector<PageFigure>* figures = nullptr);

// What must be known before any figure below is believed; empty when there is nothing.
std::string html_notes(const std::vector<std::string>& notes);

// `json` for a <script type="application/json">: with no '<' in it nothing can end the element.
std::string script_safe_json(std::string_view json);

// One <dt>/<dd> pair; empty when `value` is.
std::string html_fact(std::string_view name, std::string_view value);

// escape_html() of a quantity: its number and unit never part at a line's end.
std::string html_quantity(std::string_view text);

// "38 %" for text in which "37.6 %" would claim too much.
std::string rounded_percent(double fraction);

}  // namespace mansard::reports
