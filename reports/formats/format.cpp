// SPDX-License-Identifier: Apache-2.0
#include "reports/formats/format.h"

#include <algorithm>

#include "reports/formats/writers.h"

namespace mansard::reports {

std::optional<Format> parse_format(std::string_view key) {
  if (key == "table") return Format::table;
  if (key == "json") return Format::json;
  if (key == "csv") return Format::csv;
  if (key == "md") return Format::markdown;
  if (key == "html") return Format::html;
  return std::nullopt;
}

std::string render(const std::vector<analysis::Finding>& findings, Format format,
                   const RenderOptions& options) {
  switch (format) {
    case Format::table:
      return to_text_table(findings, options);
    case Format::json:
      return to_json(findings);
    case Format::csv:
      return to_csv(findings);
    case Format::markdown:
      return to_markdown(findings, options);
    case Format::html:
      return to_html(findings, options);
  }
  return {};
}

std::size_t shown_rows(std::size_t rows, const RenderOptions& options) {
  return options.max_rows > 0 ? std::min(rows, static_cast<std::size_t>(options.max_rows)) : rows;
}

std::string left_out_line(std::size_t rows, std::size_t shown) {
  if (shown >= rows) return {};
  const std::size_t more = rows - shown;
  return "... and " + std::to_string(more) + (more == 1 ? " more row" : " more rows");
}

}  // namespace mansard::reports
