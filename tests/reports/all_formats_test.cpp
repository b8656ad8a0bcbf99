// SPDX-License-Identifier: Apache-2.0
// The report of a run, a comparison and a machine, read back from all formats: the numbers must be
// equal, exactly or, in formats that round, after rounding.
#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "reports/comparison_part.h"
#include "reports/formats/format.h"
#include "support/text.h"
#include "tests/reports/fixture.h"
#include "tests/reports/format_readers.h"

namespace mansard::reports {
namespace {

class AllFormats : public testing::Test {
 protected:
  AllFormats() {
    analysis::RunAnalysis other = fixture::training_step();
    other.title = "other";
    ReportInput input{{fixture::training_step(), std::move(other)}, {fixture::h200()}, "", ""};
    input.parts.push_back(comparison_part(input.runs[0], input.runs[1]));
    findings = report_findings(input);
    for (const analysis::Finding& finding : findings) {
      const std::size_t dot = finding.id.find('.');
      const std::string whose = dot == std::string::npos ? "" : finding.id.substr(0, dot + 1);
      for (const analysis::Table& table : finding.tables) {
        tables.push_back(&table);
        names.push_back(whose + table.id);
      }
    }
  }

  std::vector<analysis::Finding> findings;
  std::vector<const analysis::Table*> tables;
  std::vector<std::string> names;  // of the tables, with the run or machine
};

// Compares a JSON value with unrounded text.
void expect_value(const nlohmann::json& value, const std::string& text, const std::string& where) {
  if (value.is_null()) {
    EXPECT_EQ(text, "") << where;
  } else if (value.is_string()) {
    EXPECT_EQ(one_line(text), one_line(value.get<std::string>())) << where;
  } else {
    ASSERT_FALSE(text.empty()) << where;
    EXPECT_EQ(std::stod(text), value.get<double>()) << where;
  }
}

std::vector<nlohmann::json> tables_of(const nlohmann::json& json) {
  std::vector<nlohmann::json> all;
  for (const auto& finding : json["findings"]) {
    for (const auto& table : finding["tables"]) all.push_back(table);
  }
  return all;
}

TEST_F(AllFormats, JsonEqualsTheFindings) {
  const auto json = tables_of(nlohmann::json::parse(render(findings, Format::json)));
  ASSERT_EQ(json.size(), tables.size());
  ASSERT_GT(tables.size(), 20u) << "runs, their comparison and the machine";
  for (std::size_t t = 0; t < tables.size(); ++t) {
    ASSERT_EQ(json[t]["rows"].size(), tables[t]->rows.size()) << tables[t]->id;
    for (std::size_t r = 0; r < tables[t]->rows.size(); ++r) {
      for (std::size_t c = 0; c < tables[t]->columns.size(); ++c) {
        const analysis::Cell& cell = tables[t]->rows[r].at(c);
        const auto& value = json[t]["rows"][r][tables[t]->columns[c].key];
        const auto* number = std::get_if<double>(&cell);
        const auto* integer = std::get_if<std::int64_t>(&cell);
        if (number != nullptr && std::isfinite(*number)) {
          EXPECT_EQ(value, *number);
        } else if (integer != nullptr) {
          EXPECT_EQ(value, *integer);
        } else if (std::holds_alternative<std::monostate>(cell)) {
          EXPECT_TRUE(value.is_null());
        }
      }
    }
  }
}

TEST_F(AllFormats, TablesOfSeveralRunsHaveUniqueNames) {
  std::set<std::string> different(names.begin(), names.end());
  EXPECT_EQ(different.size(), names.size());
  EXPECT_TRUE(different.contains("run2.kernels"));
}

TEST_F(AllFormats, CsvHasTheNumbersOfTheJson) {
  const auto json = tables_of(nlohmann::json::parse(render(findings, Format::json)));
  const readers::Grid grid = readers::read_csv(render(findings, Format::csv));
  std::size_t line = 0;
  for (std::size_t t = 0; t < tables.size(); ++t) {
    if (t > 0) ++line;  // an empty line between tables
    EXPECT_EQ(grid.at(line++).at(0), "# " + names[t]);
    const std::vector<std::string> keys = grid.at(line++);
    for (const auto& row : json[t]["rows"]) {
      const std::vector<std::string>& cells = grid.at(line++);
      ASSERT_EQ(cells.size(), keys.size());
      for (std::size_t c = 0; c < keys.size(); ++c) {
        expect_value(row[keys[c]], cells[c], tables[t]->id + '.' + keys[c]);
      }
    }
  }
  EXPECT_EQ(line, grid.size());
}

TEST_F(AllFormats, ThePageHasTheNumbersOfTheJson) {
  const auto json = tables_of(nlohmann::json::parse(render(findings, Format::json)));
  const std::string page = render(findings, Format::html);
  const std::vector<readers::HtmlTable> html = readers::html_tables(page);
  std::size_t next = 0;
  for (std::size_t t = 0; t < tables.size(); ++t) {
    if (tables[t]->rows.empty()) continue;  // the page omits empty tables
    if (tables[t]->columns.size() == 1 &&
        tables[t]->columns[0].format == analysis::CellFormat::text) {
      for (const auto& row : tables[t]->rows) {
        const std::string item = "<li>" + escape_html(std::get<std::string>(row.at(0))) + "</li>";
        EXPECT_NE(page.find(item), std::string::npos) << "sentences are a list: " << item;
      }
      continue;
    }
    ASSERT_LT(next, html.size());
    const readers::HtmlTable& shown = html[next++];
    ASSERT_EQ(shown.name, tables[t]->id);
    ASSERT_EQ(shown.rows.size(), tables[t]->rows.size());
    for (std::size_t r = 0; r < shown.rows.size(); ++r) {
      ASSERT_EQ(shown.rows[r].size(), tables[t]->columns.size());
      for (std::size_t c = 0; c < tables[t]->columns.size(); ++c) {
        const analysis::Column& column = tables[t]->columns[c];
        const auto& value = json[t]["rows"][r][column.key];
        const std::string where = tables[t]->id + '.' + column.key;
        if (value.is_null() && column.format == analysis::CellFormat::text) {
          EXPECT_EQ(shown.rows[r][c], "-") << where;
        } else {
          expect_value(value, shown.rows[r][c], where);
        }
      }
    }
  }
  EXPECT_EQ(next, html.size());
}

TEST_F(AllFormats, MarkdownAndTextHaveTheSameCells) {
  std::vector<std::vector<std::string>> expected;
  for (const analysis::Table* table : tables) {
    for (const std::vector<analysis::Cell>& row : table->rows) {
      expected.emplace_back();
      for (std::size_t c = 0; c < table->columns.size(); ++c) {
        expected.back().push_back(one_line(analysis::format_cell(row.at(c), table->columns[c])));
      }
    }
  }
  std::vector<std::vector<std::string>> markdown;
  bool body = false;  // after a table's rule
  for (const std::string& line : readers::lines_of(render(findings, Format::markdown))) {
    if (!line.starts_with('|')) {
      body = false;
    } else if (line.starts_with("|---")) {
      body = true;
    } else if (body) {
      markdown.push_back(readers::markdown_cells(line));
    }
  }
  EXPECT_EQ(markdown, expected);

  const std::string text = render(findings, Format::table, {.width = 30000, .max_rows = 0});
  std::size_t at = 0;  // cells appear in the order of tables, rows and columns
  for (const std::vector<std::string>& row : expected) {
    for (const std::string& cell : row) {
      const std::size_t found = text.find(cell, at);
      ASSERT_NE(found, std::string::npos) << cell;
      at = found + cell.size();
    }
  }
}

}  // namespace
}  // namespace mansard::reports
