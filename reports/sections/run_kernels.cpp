// SPDX-License-Identifier: Apache-2.0
// The kernel table: the first table of the analysis "kernels". Its rows link to the run's rows.
#include <algorithm>
#include <variant>

#include "analyzer/kernel_columns.h"
#include "reports/section.h"
#include "reports/web/html.h"
#include "reports/web/page_limits.h"
#include "reports/web/page_theme.h"

namespace mansard::reports {
namespace {

// The first column stays visible while the others scroll.
void move_to_front(analysis::Table& table, std::string_view key) {
  const auto column = std::ranges::find(table.columns, key, &analysis::Column::key);
  if (column == table.columns.end()) return;
  const auto at = column - table.columns.begin();
  std::rotate(table.columns.begin(), column, column + 1);
  for (std::vector<analysis::Cell>& row : table.rows) {
    std::rotate(row.begin(), row.begin() + at, row.begin() + at + 1);
  }
}

// Columns without values, and where all kernels run.
void drop_idle_columns(analysis::Table& table) {
  for (std::size_t column = table.columns.size(); column-- > 0;) {
    const bool is_idle = std::ranges::all_of(table.rows, [&](const auto& row) {
      const analysis::Cell& cell = row[column];
      return std::holds_alternative<std::monostate>(cell) ||
             (table.columns[column].key == "runs_on" && cell == table.rows.front()[column]);
    });
    if (!is_idle) continue;
    const auto at = static_cast<std::ptrdiff_t>(column);
    table.columns.erase(table.columns.begin() + at);
    for (std::vector<analysis::Cell>& row : table.rows) row.erase(row.begin() + at);
  }
}

// The page has the facts of the run's first rows only (run_rows.cpp): they come first in the table.
void move_known_to_front(analysis::Table& table) {
  if (table.rows.size() <= kMaxPageRows) return;
  analysis::Table sorted = table;
  sorted.rows.clear();
  sorted.links.clear();
  for (const bool known : {true, false}) {
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
      if ((*table.link(i).row < kMaxPageRows) == known) {
        sorted.add(table.rows[i], table.link(i));
      }
    }
  }
  table = std::move(sorted);
}

std::optional<Section> make_run_kernels(const SectionContext& context) {
  const analysis::AnalysisSpec* analysis = analysis::analysis_registry().find("kernels");
  if (!analysis || context.run->rows.empty()) return std::nullopt;
  analysis::Finding finding = analysis->run(*context.run);
  if (finding.tables.empty()) return std::nullopt;
  move_to_front(finding.tables.front(), "name");
  drop_idle_columns(finding.tables.front());
  move_known_to_front(finding.tables.front());
  HtmlTableOptions options;
  options.element_id = context.id + "-table";
  options.interactive = true;
  options.max_rows = kMaxPageRows;
  options.bar_key = analysis::saving_key(*context.run);
  if (finding.tables.front().rows.size() <= kMaxPageRows) {
    options.sorted_key = analysis::kernel_order_key(*context.run);
  }
  const analysis::Table& table = finding.tables.front();
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    options.row_marks.push_back(class_mark(context.run->rows[*table.link(i).row].operation_class));
  }
  Section section;
  section.title = finding.title;
  section.summary = finding.summary;
  if (!finding.summary.empty()) section.html = "<p>" + escape_html(finding.summary) + "</p>\n";
  section.html += html_table(table, options, &section.figures);
  return section;
}

}  // namespace

void register_run_kernels(SectionRegistry& registry) {
  registry.add({"kernels", SectionScope::run, 30, make_run_kernels});
}

}  // namespace mansard::reports
