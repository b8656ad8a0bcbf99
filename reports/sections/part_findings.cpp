// SPDX-License-Identifier: Apache-2.0
// The findings of a comparison, a prediction or a command. The first one is the main result.
#include "reports/section.h"
#include "reports/web/html.h"
#include "reports/web/ledger_html.h"
#include "reports/web/page_limits.h"

namespace mansard::reports {
namespace {

// The ledger of two runs or predictions, and a collapsed table to sort and copy.
std::string ledger_of(const analysis::Finding& finding, std::vector<PageFigure>& figures) {
  std::string numbers;
  for (const analysis::Table& table : finding.tables) {
    numbers += html_table(table, {.interactive = true, .chart = false});
  }
  if (auto figure = chart_figure(finding.tables[0])) figures.push_back(*std::move(figure));
  const std::vector<std::string> keys =
      finding.ledger->kind == analysis::LedgerKind::prediction
          ? std::vector<std::string>{"cause", "saved_s", "before_s", "after_s"}
          : std::vector<std::string>{"cause", "time_s", "saving_s", "speed_up", "lost"};
  return html_ledger(*finding.ledger, analysis::kLedgerDetails, keys) +
         "<details><summary><span>Table</span> to sort, filter and copy</summary>\n" + numbers +
         "</details>\n";
}

// Sentences, which a table would cut.
bool is_one_text_column(const analysis::Table& table) {
  return table.columns.size() == 1 && table.columns.front().format == analysis::CellFormat::text;
}

std::string list_of(const analysis::Table& table) {
  std::string html = "<ol class=\"sentences\">\n";
  for (const std::vector<analysis::Cell>& row : table.rows) {
    html +=
        "<li>" + escape_html(analysis::format_cell(row.front(), table.columns.front())) + "</li>\n";
  }
  return html + "</ol>\n";
}

// `heading` is one level below the heading of the finding.
std::string tables_of(const analysis::Finding& finding, const std::string& heading,
                      std::vector<PageFigure>& figures) {
  std::string html;
  for (const analysis::Table& table : finding.tables) {
    if (table.rows.empty()) continue;
    if (table.title != finding.title) {
      html += '<' + heading + '>' + escape_html(table.title) + "</" + heading + ">\n";
    }
    html += is_one_text_column(table)
                ? list_of(table)
                : html_result(table, {.interactive = true, .max_rows = kMaxPageRows}, &figures);
  }
  return html;
}

std::optional<Section> make_part_findings(const SectionContext& context) {
  const ReportPart& part = *context.part;
  Section section;
  section.html = html_notes(part.notes);
  for (std::size_t i = 0; i < part.findings.size(); ++i) {
    const analysis::Finding& finding = part.findings[i];
    const bool is_part = finding.title == part.title;
    if (!is_part) {
      section.html += "<h3>" + escape_html(finding.title) + "</h3>\n";
    }
    if (!finding.summary.empty()) {
      section.html +=
          (i == 0 ? "<p class=\"lead\">" : "<p>") + escape_html(finding.summary) + "</p>\n";
    }
    // Pages with many findings use prefixed ids; they show all tables in the same way.
    const bool is_gap = finding.ledger && (finding.id == "gap_ledger" || finding.id == "ledger");
    section.html += is_gap ? ledger_of(finding, section.figures)
                           : tables_of(finding, is_part ? "h3" : "h4", section.figures);
  }
  if (section.html.empty()) return std::nullopt;
  return section;
}

}  // namespace

void register_part_findings(SectionRegistry& registry) {
  registry.add({"findings", SectionScope::part, 10, make_part_findings});
}

}  // namespace mansard::reports
