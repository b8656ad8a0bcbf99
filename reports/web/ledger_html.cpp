// SPDX-License-Identifier: Apache-2.0
#include "reports/web/ledger_html.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <span>

#include "reports/formats/writers.h"
#include "reports/web/html.h"
#include "support/units.h"

namespace mansard::reports {
namespace {

using analysis::LedgerLine;
using analysis::LedgerRow;

// Lines below this share of the longest time in the ledger are gathered in one row. At the width of
// a window their bars are a few pixels wide.
constexpr double kSmallLine = 0.02;

// A line whose only detail is the line itself, such as "memcpy and memset", has no kernels to list.
bool says_more(const LedgerLine& line) {
  return line.details.size() > 1 ||
         (line.details.size() == 1 && line.details.front().label != line.label);
}

class LedgerTable {
 public:
  // The small lines of `ledger` are its last ones, from `first_small` on.
  LedgerTable(const analysis::Ledger& ledger, std::size_t first_small, std::size_t details,
              const std::vector<std::string>& keys)
      : ledger_(ledger),
        rows_(analysis::ledger_rows(ledger)),
        first_small_(first_small),
        details_(details),
        columns_(analysis::choose(analysis::ledger_columns(ledger), keys)) {
    for (const LedgerRow& row : rows_) {
      low_s_ = std::min(low_s_, row.after_s.value_or(0));
      high_s_ = std::max(high_s_, row.after_s.value_or(0));
    }
  }

  std::string html() const {
    const std::span<const LedgerRow> rows = rows_;
    const std::span<const LedgerRow> lines = rows.subspan(1, rows.size() - 2);
    std::string html = "<div class=\"scroll whole\" tabindex=\"0\" role=\"region\" aria-label=\"" +
                       escape_html(analysis::ledger_title(ledger_)) + "\">" + open_table("") +
                       total_row(rows.front());
    for (const LedgerRow& row : lines.first(first_small_)) html += line_row(row);
    if (first_small_ < lines.size()) html += gathered_row(lines.subspan(first_small_));
    return html + total_row(rows.back()) + "</table></div>\n";
  }

 private:
  struct Bar {
    double from_s = 0;
    double to_s = 0;
    bool total = false;
  };

  std::string open_table(const std::string& more_class) const {
    std::string html = "<table class=\"ledger" + more_class + "\"><thead><tr>";
    for (const auto& [column, value] : columns_) {
      html += std::string("<th scope=\"col\"") + (right_aligned(column) ? " class=\"n\"" : "") +
              " title=\"" + escape_html(column.description) + "\">" + escape_html(column.label) +
              "</th>";
    }
    return html + "<th scope=\"col\" class=\"bar-cell\">" +
           escape_html(analysis::ledger_title(ledger_)) + "</th></tr></thead>\n";
  }

  // The first and the last row. Their number is the step time, not a change of it.
  std::string total_row(const LedgerRow& row) const {
    std::vector<std::string> texts;
    for (const auto& [column, value] : columns_) {
      texts.push_back(column.key == "time_s"
                          ? (row.after_s ? format_si(*row.after_s, column.unit) : "-")
                          : analysis::format_cell(value(row), column));
    }
    return group(texts, row.meaning, {0, row.after_s.value_or(0), true},
                 row.meaning.empty() ? "" : "<p>" + escape_html(row.meaning) + "</p>", row.label);
  }

  std::string line_row(const LedgerRow& row) const {
    std::vector<std::string> texts;
    for (const auto& [column, value] : columns_) {
      texts.push_back(analysis::format_cell(value(row), column));
    }
    std::string name = row.label;
    std::string more =
        row.meaning.empty() ? std::string() : "<p>" + escape_html(row.meaning) + "</p>";
    // A predicted line is one part of the step, whose times are columns.
    if (ledger_.kind != analysis::LedgerKind::prediction && says_more(*row.line)) {
      const auto count = static_cast<std::int64_t>(row.line->details.size());
      name += ": " + format_number_of(count, "kernel");
      more += html_table(analysis::kernels_of_line(ledger_, *row.line, details_));
    }
    return group(texts, row.meaning, {*row.after_s - row.adds_s, *row.after_s}, more, name);
  }

  std::string gathered_row(std::span<const LedgerRow> rows) const {
    LedgerRow sum;
    sum.label = format_number_of(static_cast<std::int64_t>(rows.size()), "smaller line");
    LedgerLine line;  // its times are those of `sum`
    analysis::LedgerDetail& times = line.details.emplace_back();
    sum.line = &line;
    double lost = 0;
    double share = 0;
    for (const LedgerRow& row : rows) {
      sum.adds_s += row.adds_s;
      lost += row.lost.value_or(0);
      share += row.share.value_or(0);
      for (const analysis::LedgerDetail& detail : row.line->details) {
        times.baseline_s = times.baseline_s.value_or(0) + detail.baseline_s.value_or(0);
        times.candidate_s = times.candidate_s.value_or(0) + detail.candidate_s.value_or(0);
      }
    }
    if (rows.front().share) sum.share = share;
    if (rows.front().lost) sum.lost = lost;
    sum.after_s = rows.back().after_s;
    sum.speed_up = rows.back().speed_up;
    std::vector<std::string> texts;
    for (const auto& [column, value] : columns_) {
      texts.push_back(analysis::format_cell(value(sum), column));
    }
    std::string more = open_table(" inner");
    for (const LedgerRow& row : rows) more += line_row(row);
    const std::string meaning =
        "Lines below " + std::to_string(std::lround(100 * kSmallLine)) + " % of the step time";
    return group(texts, meaning, {*sum.after_s - sum.adds_s, *sum.after_s}, more + "</table>\n",
                 sum.label);
  }

  // A line of numbers with its bar, and a row that opens below it. The first text is the row's
  // header.
  std::string group(const std::vector<std::string>& texts, const std::string& meaning,
                    const Bar& bar, const std::string& more, const std::string& name) const {
    std::string html = std::string("<tbody") + (bar.total ? " class=\"end\"" : "") +
                       "><tr class=\"line\"><th scope=\"row\" title=\"" + escape_html(meaning) +
                       "\">" + escape_html(texts.front()) + "</th>";
    for (std::size_t i = 1; i < texts.size(); ++i) {
      html += "<td class=\"n\">" + escape_html(texts[i]) + "</td>";
    }
    html += "<td class=\"bar-cell\">" + bar_of(bar) + "</td></tr>\n";
    if (!more.empty()) {
      html += "<tr class=\"more\"><td colspan=\"" + std::to_string(texts.size() + 1) +
              "\"><details><summary aria-label=\"" + escape_html(name) + "\"></summary>\n" + more +
              "</details></td></tr>";
    }
    return html + "</tbody>\n";
  }

  std::string bar_of(const Bar& bar) const {
    if (bar.from_s == bar.to_s || !(high_s_ > low_s_)) return {};
    const double scale = 100 / (high_s_ - low_s_);
    const char* role = bar.total ? "" : bar.to_s > bar.from_s ? " loss" : " gain";
    char text[96];
    std::snprintf(text, sizeof text,
                  "<span class=\"bar%s\" style=\"margin-left:%.2f%%;width:%.2f%%\"></span>", role,
                  scale * (std::min(bar.from_s, bar.to_s) - low_s_),
                  scale * std::fabs(bar.to_s - bar.from_s));
    return text;
  }

  const analysis::Ledger& ledger_;
  const std::vector<LedgerRow> rows_;
  const std::size_t first_small_;
  const std::size_t details_;
  const analysis::ColumnsOf<LedgerRow> columns_;
  double low_s_ = 0;
  double high_s_ = 0;
};

}  // namespace

std::string html_ledger(analysis::Ledger ledger, std::size_t details,
                        const std::vector<std::string>& keys) {
  const double whole_s = std::max(ledger.ideal_s, ledger.measured_s);
  const auto is_large = [&](const LedgerLine& line) {
    return std::fabs(line.time_s) >= kSmallLine * whole_s;
  };
  // Clang 14 cannot use the subrange that std::ranges::stable_partition returns.
  const auto small = std::stable_partition(ledger.lines.begin(), ledger.lines.end(), is_large);
  const auto large = static_cast<std::size_t>(small - ledger.lines.begin());
  // One small line takes as much room as a row that gathers it.
  const std::size_t first_small = ledger.lines.size() - large < 2 ? ledger.lines.size() : large;
  return LedgerTable(ledger, first_small, details, keys).html();
}

}  // namespace mansard::reports
