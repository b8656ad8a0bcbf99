// SPDX-License-Identifier: Apache-2.0
// The ledger of a typical step: from the speed of light of its kernels to what was measured, each
// line with the kernels behind it.
#include <algorithm>
#include <stdexcept>

#include "analyzer/explain/ledger.h"
#include "reports/formats/text.h"
#include "reports/section.h"
#include "reports/web/chart_svg.h"
#include "reports/web/html.h"

namespace mansard {
namespace {

constexpr std::size_t kKernels = 12;  // to a line

std::optional<Ledger> ledger_of(const RunAnalysis& run) {
  try {
    Ledger ledger = explain_run(run, {.steps_range = run.options.steps_range, .ceiling_ratio = {}});
    // Without a speed of light there is nothing to lose against.
    if (ledger.ideal_s > 0) return ledger;
  } catch (const std::invalid_argument&) {
    // No kernels on a device, or no such steps: the run has no ledger.
  }
  return std::nullopt;
}

// The rows of one line, out of those behind all lines, whose first column names it.
Table kernels_of(const Table& all, const LedgerLine& line) {
  Table table{all.id + '_' + line.id, line.label, {all.columns.begin() + 1, all.columns.end()}, {}};
  for (const std::vector<Cell>& row : all.rows) {
    if (row.front() == Cell(line.id)) table.rows.emplace_back(row.begin() + 1, row.end());
  }
  return table;
}

bool is_its_own_detail(const LedgerLine& line) {
  return line.details.empty() ||
         (line.details.size() == 1 && line.details.front().label == line.label);
}

std::string meaning_cell(const LedgerLine* line, const std::string& meaning,
                         const Table& all_kernels) {
  if (line == nullptr || is_its_own_detail(*line)) return "<td>" + escape_html(meaning) + "</td>";
  const std::size_t count = line->details.size();
  return "<td><details><summary>" + escape_html(meaning) + " (" + std::to_string(count) +
         (count == 1 ? " kernel" : " kernels") + ")</summary>\n" +
         html_table(kernels_of(all_kernels, *line)) + "</details></td>";
}

// The columns of the ledger that a page has room for; the last opens to the kernels.
std::string ledger_table(const Ledger& ledger, const Finding& finding) {
  constexpr const char* kShown[] = {"cause", "time_s", "share", "after_s"};
  const Table& lines = finding.tables[0];
  const Table& kernels = finding.tables[1];
  const auto column = [&](std::string_view key) {
    return static_cast<std::size_t>(std::ranges::find(lines.columns, key, &Column::key) -
                                    lines.columns.begin());
  };
  std::string html = "<div class=\"scroll whole\" tabindex=\"0\" role=\"region\" aria-label=\"" +
                     escape_html(lines.title) + "\"><table class=\"ledger\"><thead><tr>";
  for (const char* key : kShown) {
    const Column& shown = lines.columns[column(key)];
    html += std::string("<th scope=\"col\"") +
            (shown.format == CellFormat::text ? "" : " class=\"n\"") + " title=\"" +
            escape_html(shown.description) + "\">" + escape_html(shown.label) + "</th>";
  }
  html += "<th scope=\"col\">what is counted</th></tr></thead>\n<tbody>\n";
  for (std::size_t r = 0; r < lines.rows.size(); ++r) {
    const std::vector<Cell>& row = lines.rows[r];
    const bool end = r == 0 || r + 1 == lines.rows.size();
    html += end ? "<tr class=\"end\">" : "<tr>";
    for (const char* key : kShown) {
      const std::size_t at = column(key);
      const std::string text = escape_html(format_cell(row[at], lines.columns[at]));
      html += key == kShown[0] ? "<th scope=\"row\">" + text + "</th>"
                               : "<td class=\"n\">" + text + "</td>";
    }
    const std::size_t meaning = column("meaning");
    html += meaning_cell(end ? nullptr : &ledger.lines[r - 1],
                         format_cell(row[meaning], lines.columns[meaning]), kernels) +
            "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

std::optional<Section> make(const SectionContext& context) {
  const std::optional<Ledger> ledger = ledger_of(*context.run);
  if (!ledger) return std::nullopt;
  Section section;
  section.title = "Where a step's time goes";
  const Finding finding = ledger_finding(*ledger, section.title, true, kKernels);
  section.html = "<p>" + escape_html(finding.summary) + "</p>\n" +
                 html_chart(finding.tables.front()) + ledger_table(*ledger, finding);
  for (const std::string& note : ledger->notes) {
    section.html += "<p class=\"muted\">" + escape_html(note) + "</p>\n";
  }
  return section;
}

}  // namespace

void register_run_ledger(SectionRegistry& registry) {
  registry.add({"ledger", SectionScope::run, 15, make});
}

}  // namespace mansard
