// SPDX-License-Identifier: Apache-2.0
// Aligned columns for a terminal. Rows fit the terminal: first the widest text columns are narrowed
// (names are truncated in the middle), then columns are omitted from the right and listed below the
// table. A table with a single text column, such as notes, becomes a wrapped list.
#include <algorithm>
#include <numeric>

#include "reports/formats/writers.h"
#include "support/text.h"

namespace mansard::reports {
namespace {

constexpr int kGap = 2;             // spaces between columns
constexpr int kNarrowestText = 16;  // shorter names are not readable

struct Layout {
  std::vector<int> widths;
  std::size_t columns = 0;  // number of columns that fit, from the left
};

std::string repeated(std::string_view text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

std::string padded(const std::string& text, int width, bool right) {
  const std::string fitted = truncate_middle(text, width);
  const std::string space(static_cast<std::size_t>(std::max(0, width - display_width(fitted))),
                          ' ');
  return right ? space + fitted : fitted + space;
}

int total(const std::vector<int>& widths, std::size_t columns) {
  const auto end = widths.begin() + static_cast<std::ptrdiff_t>(columns);
  return std::accumulate(widths.begin(), end, 0) + kGap * (static_cast<int>(columns) - 1);
}

// Narrows the widest text columns by `excess` characters in total, always the widest first.
void narrow(std::vector<int>& widths, std::size_t columns, const analysis::Table& table,
            int excess) {
  while (excess > 0) {
    int* widest = nullptr;
    for (std::size_t i = 0; i < columns; ++i) {
      const bool candidate = !right_aligned(table.columns[i]) && widths[i] > kNarrowestText;
      if (candidate && (!widest || widths[i] > *widest)) widest = &widths[i];
    }
    if (!widest) return;
    --*widest;
    --excess;
  }
}

Layout fit(const analysis::Table& table, std::vector<int> natural, int width) {
  for (std::size_t columns = natural.size(); columns > 1; --columns) {
    std::vector<int> widths = natural;
    narrow(widths, columns, table, total(widths, columns) - width);
    if (total(widths, columns) <= width) return {widths, columns};
  }
  if (!natural.empty()) natural[0] = std::min(natural[0], std::max(width, 1));
  return {natural, std::min<std::size_t>(natural.size(), 1)};
}

void append_row(std::string& out, const analysis::Table& table, const Layout& layout,
                const std::vector<std::string>& cells) {
  std::string line;
  for (std::size_t i = 0; i < layout.columns; ++i) {
    if (i > 0) line.append(kGap, ' ');
    line += padded(cells[i], layout.widths[i], right_aligned(table.columns[i]));
  }
  line.erase(line.find_last_not_of(' ') + 1);
  out += line + '\n';
}

bool is_list(const analysis::Table& table) {
  return table.columns.size() == 1 && table.columns.front().format == analysis::CellFormat::text;
}

// Ignores the limit on rows: these are sentences, not data.
void append_list(std::string& out, const analysis::Table& table, int width) {
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    const std::string text =
        one_line(analysis::format_cell(table.rows[r].front(), table.columns.front()));
    out += wrap_words("(" + std::to_string(r + 1) + ") " + text, width) + '\n';
  }
}

void append_table(std::string& out, const analysis::Table& table, const RenderOptions& options) {
  const std::size_t shown = shown_rows(table.rows.size(), options);
  std::vector<std::vector<std::string>> lines(1);
  for (const analysis::Column& column : table.columns) lines[0].push_back(one_line(column.label));
  for (std::size_t r = 0; r < shown; ++r) {
    std::vector<std::string>& line = lines.emplace_back();
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      const analysis::Cell cell = i < table.rows[r].size() ? table.rows[r][i] : analysis::Cell{};
      line.push_back(one_line(analysis::format_cell(cell, table.columns[i])));
    }
  }
  std::vector<int> natural(table.columns.size(), 0);
  for (const std::vector<std::string>& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) {
      natural[i] = std::max(natural[i], display_width(line[i]));
    }
  }
  const Layout layout = fit(table, std::move(natural), options.width);
  append_row(out, table, layout, lines[0]);
  out += repeated("\xE2\x94\x80", std::max(0, total(layout.widths, layout.columns))) + '\n';
  for (std::size_t r = 1; r < lines.size(); ++r) append_row(out, table, layout, lines[r]);

  const std::string rest = left_out_line(table.rows.size(), shown);
  if (!rest.empty()) out += rest + '\n';
  if (layout.columns < table.columns.size()) {
    std::string names;
    for (std::size_t i = layout.columns; i < table.columns.size(); ++i) {
      names += (names.empty() ? "" : ", ") + one_line(table.columns[i].label);
    }
    out += wrap_words("not shown at " + std::to_string(options.width) + " columns: " + names,
                      options.width);
    out += '\n';
  }
}

}  // namespace

std::string to_text_table(const std::vector<analysis::Finding>& findings,
                          const RenderOptions& options) {
  std::string out;
  for (const analysis::Finding& finding : findings) {
    if (!out.empty()) out += '\n';
    out += truncate_middle(one_line(finding.title), options.width) + '\n';
    if (!finding.summary.empty()) {
      out += wrap_words(one_line(finding.summary), options.width) + '\n';
    }
    for (const analysis::Table& table : finding.tables) {
      if (!is_list(table) || !finding.summary.empty()) out += '\n';
      const std::string title = one_line(table.title);
      if (!title.empty() && table.title != finding.title) {
        out += truncate_middle(title, options.width) + '\n';
      }
      if (is_list(table)) {
        append_list(out, table, options.width);
      } else {
        append_table(out, table, options);
      }
    }
  }
  return out;
}

}  // namespace mansard::reports
