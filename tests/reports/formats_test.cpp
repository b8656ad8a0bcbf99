// SPDX-License-Identifier: Apache-2.0
// The text formats have the same content: each is read back by a minimal reader and compared with
// its table.
#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "reports/formats/format.h"
#include "support/text.h"
#include "tests/reports/fixture.h"
#include "tests/reports/format_readers.h"

namespace mansard::reports {
namespace {

using readers::Grid;
using readers::lines_of;
using readers::markdown_cells;
using readers::read_csv;

class Formats : public testing::Test {
 protected:
  const analysis::Finding finding = fixture::hostile_finding();
  const analysis::Table& table = finding.tables.front();
};

TEST_F(Formats, JsonHoldsEveryValueUnrounded) {
  const auto json = nlohmann::json::parse(render({finding}, Format::json));
  EXPECT_EQ(json["schema_version"], 3);
  const auto& out = json["findings"][0]["tables"][0];
  ASSERT_EQ(out["rows"].size(), table.rows.size());
  ASSERT_EQ(out["columns"].size(), table.columns.size());
  EXPECT_EQ(out["columns"][2]["unit"], "s");
  EXPECT_EQ(out["columns"][2]["format"], "quantity");
  EXPECT_EQ(out["rows"][0]["name"], valid_utf8(fixture::hostile_name()));
  EXPECT_EQ(out["rows"][0]["launches"], 1234567);
  EXPECT_EQ(out["rows"][0]["time_s"], 0.0123456789012345);
  EXPECT_EQ(out["rows"][1]["name"].get<std::string>().size(), 4000u);
  EXPECT_TRUE(out["rows"][1]["slowdown"].is_null());
  EXPECT_EQ(out["rows"][1]["share"], 0.0);
}

TEST_F(Formats, CsvEqualsJsonExceptControlCharacters) {
  const auto json = nlohmann::json::parse(render({finding}, Format::json));
  const auto& rows = json["findings"][0]["tables"][0]["rows"];
  const Grid grid = read_csv(render({finding}, Format::csv));
  ASSERT_EQ(grid.size(), 2 + rows.size());
  EXPECT_EQ(grid[0], std::vector<std::string>{"# hostile"});
  for (std::size_t r = 0; r < rows.size(); ++r) {
    ASSERT_EQ(grid[r + 2].size(), table.columns.size());
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      const std::string& text = grid[r + 2][c];
      const auto& value = rows[r][grid[1][c]];
      if (value.is_null()) {
        EXPECT_EQ(text, "");
      } else if (value.is_string()) {
        EXPECT_EQ(text, safe_lines(value.get<std::string>()));
      } else {
        EXPECT_EQ(std::stod(text), value.get<double>()) << grid[1][c];
      }
    }
  }
}

TEST_F(Formats, MarkdownAndTextShowTheFormattedCells) {
  const std::vector<std::string> markdown = lines_of(render({finding}, Format::markdown));
  const std::vector<std::string> text =
      lines_of(render({finding}, Format::table, {.width = 9000, .max_rows = 0}));
  const auto first_row = [](const std::vector<std::string>& lines, std::string_view rule) {
    std::size_t i = 0;
    while (i < lines.size() && !lines[i].starts_with(rule)) ++i;
    return i + 1;
  };
  const std::size_t m = first_row(markdown, "|---");
  const std::size_t t = first_row(text, "\u2500");
  ASSERT_EQ(markdown.size(), m + table.rows.size());
  ASSERT_EQ(text.size(), t + table.rows.size());
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    const std::vector<std::string> cells = markdown_cells(markdown[m + r]);
    ASSERT_EQ(cells.size(), table.columns.size());
    std::size_t from = 0;  // cells appear in the text in the order of the columns
    for (std::size_t c = 0; c < cells.size(); ++c) {
      const std::string expected =
          one_line(analysis::format_cell(table.rows[r][c], table.columns[c]));
      EXPECT_EQ(cells[c], expected);
      const std::size_t at = text[t + r].find(expected, from);
      EXPECT_NE(at, std::string::npos) << expected;
      from = at == std::string::npos ? from : at + expected.size();
    }
  }
  EXPECT_NE(text[t].find("12.3 ms"), std::string::npos);
  EXPECT_NE(text[t].find("93.4 %"), std::string::npos);
  EXPECT_NE(text[t].find("1.83x"), std::string::npos);
}

TEST_F(Formats, TextNeverExceedsTheTerminal) {
  for (const int width : {20, 40, 61, 80, 100, 200}) {
    for (const std::string& line :
         lines_of(render({finding}, Format::table, {.width = width, .max_rows = 0}))) {
      EXPECT_LE(display_width(line), width) << line;
      EXPECT_EQ(line.find('\x1b'), std::string::npos) << "a name reached the terminal's escapes";
    }
  }
}

TEST_F(Formats, TextNamesTheColumnsThatDoNotFit) {
  const std::string narrow = render({finding}, Format::table, {.width = 40, .max_rows = 0});
  EXPECT_NE(narrow.find("not shown at 40 columns: Share, Over"), std::string::npos) << narrow;
}

TEST_F(Formats, OmittedRowsAreCounted) {
  const RenderOptions one = {.width = 100, .max_rows = 1};
  EXPECT_NE(render({finding}, Format::table, one).find("... and 2 more rows"), std::string::npos);
  EXPECT_NE(render({finding}, Format::markdown, one).find("... and 2 more rows"),
            std::string::npos);
  const auto json = nlohmann::json::parse(render({finding}, Format::json, one));
  EXPECT_EQ(json["findings"][0]["tables"][0]["rows"].size(), 3u) << "data is never cut";
}

TEST_F(Formats, MissingCellsAreUnknown) {
  analysis::Finding ragged = finding;
  ragged.tables[0].rows = {{std::string("only")}};
  EXPECT_NE(render({ragged}, Format::csv).find("\nonly,,,,\n"), std::string::npos);
  EXPECT_NE(render({ragged}, Format::markdown).find("| only | - | - | - | - |"), std::string::npos);
}

TEST(FormatCell, UnknownAndUnmeasuredAreNeverNumbers) {
  const analysis::Column time = {"time_s", "Time", analysis::CellFormat::quantity, "s", ""};
  EXPECT_EQ(analysis::format_cell(analysis::Cell{}, time), "-");
  EXPECT_EQ(analysis::format_cell(std::nan(""), time), "n/a");
  EXPECT_EQ(analysis::format_cell(INFINITY, {"x", "X", analysis::CellFormat::ratio, "", ""}),
            "n/a");
  EXPECT_EQ(analysis::format_cell(std::int64_t{-1234567},
                                  {"n", "N", analysis::CellFormat::count, "", ""}),
            "-1,234,567");
  EXPECT_EQ(
      analysis::format_cell(std::int64_t{999}, {"n", "N", analysis::CellFormat::count, "", ""}),
      "999");
  EXPECT_EQ(analysis::format_cell(std::int64_t{5000},
                                  {"b", "B", analysis::CellFormat::quantity, "B", ""}),
            "5.00 kB");
}

TEST(FormatCell, ARoundedZeroHasNoSign) {
  EXPECT_EQ(analysis::format_cell(-0.0004, {"share", "S", analysis::CellFormat::fraction, "", ""}),
            "0.0 %");
  EXPECT_EQ(analysis::format_cell(-0.004, {"x", "X", analysis::CellFormat::ratio, "", ""}),
            "0.00x");
  EXPECT_EQ(analysis::format_cell(-0.0, {"t_s", "T", analysis::CellFormat::quantity, "s", ""}),
            "0 s");
  EXPECT_EQ(analysis::format_cell(-0.01, {"x", "X", analysis::CellFormat::ratio, "", ""}),
            "-0.01x");
  EXPECT_EQ(analysis::format_cell(-4e-8, {"t_s", "T", analysis::CellFormat::quantity, "s", ""}),
            "-40.0 ns");
}

TEST(FormatKeys, AreThoseOfTheOption) {
  EXPECT_EQ(parse_format("md"), Format::markdown);
  EXPECT_EQ(parse_format("table"), Format::table);
  EXPECT_EQ(parse_format("xml"), std::nullopt);
}

}  // namespace
}  // namespace mansard::reports
